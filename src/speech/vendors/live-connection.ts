// One connection to a live vendor: reads its messages, and explains its end as a failure.
import { sentenceOf } from '../../domain/counted.ts'
import { codeIn } from '../../kit/failure.ts'
import { Connection, type ConnectionEnd } from '../../kit/websocket-connection.ts'
import { createDial } from '../../kit/websocket-dial.ts'
import { parseJson, Unreadable } from '../http/json-value.ts'
import { refusal, withoutSecret } from '../http/refusal.ts'
import { SpeechFailed } from '../provider.ts'
import type { LiveEvent, LiveProtocol, LiveTiming } from './live-protocol.ts'

type ConnectionHandler = {
  onOpen(): void
  onEvent(event: Exclude<LiveEvent, { kind: 'refused' }>): void
  /** Null: a normal close. */
  onClose(failure: SpeechFailed | null): void
}

const LARGEST_MESSAGE_BYTES = 4 * 1024 * 1024
/** A normal close, with or without a status code. */
const USUAL_CODES = new Set([1000, 1005])

export function connect(protocol: LiveProtocol, timing: LiveTiming, { onOpen, onEvent, onClose }: ConnectionHandler): Connection {
  const { url, headers } = protocol
  const { connectMs, pingMs, endMs } = timing
  // The operator chooses the vendor's address, so it may be private.
  const dial = createDial({ url, headers, allowPrivate: true, timeoutMs: connectMs, largestMessageBytes: LARGEST_MESSAGE_BYTES })
  const read = protocol.createReader()
  const fail = (reason: string, retryable: boolean, cause?: unknown): void => {
    connection.terminate()
    onClose(failureOf(protocol, reason, retryable, cause))
  }
  const connection = new Connection(dial(), {
    timing: { connectMs, pingMs, closeMs: endMs },
    onOpen,
    onText(text) {
      try {
        for (const event of read(parseJson(text, 'message'))) {
          if (!connection.isOpen) return
          if (event.kind === 'refused') fail(event.reason, event.retryable)
          else onEvent(event)
        }
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
        fail(`A message of the provider cannot be parsed. ${error.message}`, true, error)
      }
    },
    onClosed: (end) => onClose(explain(protocol, end)),
  })
  return connection
}

function failureOf({ vendor, secret }: LiveProtocol, reason: string, retryable: boolean, cause?: unknown): SpeechFailed {
  return new SpeechFailed(`${vendor}: ${sentenceOf(withoutSecret(reason, secret))}`, { retryable, cause })
}

/** Null: a normal close. */
function explain(protocol: LiveProtocol, end: ConnectionEnd): SpeechFailed | null {
  const { vendor, secret, finalCodes } = protocol
  if (end.kind === 'refused') return refusal({ vendor, secret, status: end.status, body: end.body })
  if (end.kind === 'failed') return failureOf(protocol, `the connection failed${codeIn(end.error)}`, true, end.error)
  if (end.kind === 'late') return failureOf(protocol, 'the connection timed out while it was opened', true)
  if (end.kind === 'silent') return failureOf(protocol, 'the connection timed out: no answer to a ping', true)
  const { code, reason } = end
  if (finalCodes.has(code)) return failureOf(protocol, `closed with ${code} ${reason}`.trim(), false)
  return USUAL_CODES.has(code) ? null : failureOf(protocol, `the connection ended with ${code} ${reason}`.trim(), true)
}
