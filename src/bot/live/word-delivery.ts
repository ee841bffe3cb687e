// Delivers live words to the caller's socket or webhook, in order.
import type { JsonObject } from '../../domain/bot.ts'
import { publishedWords } from '../../domain/transcript.ts'
import { Failure, publicErrorOf } from '../../kit/failure.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import { openSocket } from '../../kit/reconnecting-socket.ts'
import { retry, type Schedule } from '../../kit/retry.ts'
import type { Span } from '../capture/source/speech-detector.ts'
import type { SpeakerResult } from './live-words.ts'

type DeliveryOptions = {
  readonly botId: string
  readonly customAttributes: JsonObject
  /** Start of the recording, in milliseconds since 1970. */
  readonly zeroMs: () => number
  readonly onProblem: (message: string) => void
}

export type WordDelivery = {
  deliver(result: SpeakerResult): void
  /** Speech in this span is not transcribed. */
  reportUntranscribed(span: Span): void
  end(): Promise<void>
}

type Body = ReturnType<typeof bodyOf>

function bodyOf({ botId, customAttributes, zeroMs }: DeliveryOptions, { speaker, text, start, words, final, newText }: SpeakerResult) {
  return {
    bot_id: botId,
    speakerName: speaker.name,
    speakerId: speaker.id,
    timestamp: new Date(zeroMs() + start * 1000).toISOString(),
    transcript: text,
    new_text: newText,
    words: publishedWords(words, speaker.name),
    is_final: final,
    end_of_turn: final,
    word_is_final: final,
    custom_attributes: customAttributes,
  }
}

/** Results that cannot be sent are dropped and counted, as on every socket of a bot. */
export function deliverBySocket(options: DeliveryOptions & { readonly url: string; readonly allowPrivate: boolean }): WordDelivery {
  const hello = () => JSON.stringify({ type: 'ready', bot_id: options.botId })
  const socket = openSocket({ url: options.url, allowPrivate: options.allowPrivate, hello, onProblem: options.onProblem })
  return {
    deliver: (result) => void socket.send(JSON.stringify(bodyOf(options, result))),
    reportUntranscribed: ({ fromMs, toMs }) =>
      socket.reportLost({ frames: 1, fromMs: options.zeroMs() + fromMs, toMs: options.zeroMs() + toMs }),
    end: () => socket.end(),
  }
}

const WITHIN_MS = 5_000
/** For a final result. */
const RETRY: Schedule = { attempts: 3, firstMs: 250, longestMs: 250 }
const MOST_WAITING = 500
const END_WITHIN_MS = 2_000

type WebhookOptions = DeliveryOptions & { readonly url: string; readonly http: Pick<HttpClient, 'post'> }

export function deliverByWebhook(options: WebhookOptions): WordDelivery {
  const waiting: Body[] = []
  const stop = new AbortController()
  let working: Promise<void> | null = null
  let lastProblem = ''

  function problem(message: string): void {
    if (message !== lastProblem) options.onProblem(message)
    lastProblem = message
  }

  async function work(): Promise<void> {
    for (let body = waiting.shift(); body && !stop.signal.aborted; body = waiting.shift()) {
      const why = await send(options, body, stop.signal)
      if (why) problem(why)
      else lastProblem = ''
    }
    working = null
  }

  return {
    deliver(result) {
      const body = bodyOf(options, result)
      // A newer result of the same speaker replaces a queued interim one.
      const stale = waiting.findIndex((it) => !it.is_final && it.speakerId === body.speakerId)
      if (stale >= 0) waiting.splice(stale, 1)
      waiting.push(body)
      if (waiting.length > MOST_WAITING) {
        waiting.shift()
        problem(`${new URL(options.url).host} answers too slowly, so live words are dropped.`)
      }
      working ??= work()
    },
    reportUntranscribed({ fromMs, toMs }) {
      const [from, to] = [fromMs, toMs].map((ms) => new Date(options.zeroMs() + ms).toISOString())
      problem(`Speech from ${from} to ${to} was not transcribed, so there are no live words for it.`)
    },
    async end() {
      const timer = setTimeout(() => stop.abort(), END_WITHIN_MS)
      await working
      clearTimeout(timer)
    },
  }
}

/** Null if the receiver accepted it, otherwise the reason. An interim result is not retried, because the next one contains it. */
async function send({ http, url }: WebhookOptions, body: Body, signal: AbortSignal): Promise<string | null> {
  const request = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, timeoutMs: WITHIN_MS, signal }
  const post = async (): Promise<null> => {
    const { status } = await http.post(url, request)
    if (status >= 200 && status < 300) return null
    throw new Failure('refused', `${new URL(url).host} answered ${status} to live words.`)
  }
  return retry(RETRY, post, { again: () => body.is_final, random: () => 1, signal }).catch(
    (error: unknown) => publicErrorOf(error, { code: 'delivery_failed', message: 'Live words could not be sent.' }).message,
  )
}
