// Server-sent event streams of the dashboard. A stream ends when its session or membership ends.
import type { FastifyReply } from 'fastify'
import type { WorkspaceId } from '../../../domain/bot.ts'
import type { Logger } from '../../../kit/log.ts'
import { startLoop } from '../../../kit/loop.ts'
import { listStreamRights, type StreamRight } from '../../db/accounts/sessions.ts'
import type { Db } from '../../db/database.ts'

/** Delay until a sign-out on another node closes the stream. A sign-out on this node wakes the check. */
const CHECK_EVERY_MS = 1_000
const IDLE_MS = 60_000
/** Proxies close idle connections. */
const KEEP_ALIVE_MS = 15_000
/** A reader that falls behind by this much is disconnected. EventSource reconnects by itself. */
const MOST_UNREAD_BYTES = 256 * 1024

/**
 * Streams of one session on this node. A tab has at most two. Beyond the limit the oldest stream ends, because the newest tab is the one that
 * a person looks at. A refusal would leave that tab without updates: EventSource does not reconnect after an error status.
 */
const MOST_PER_SESSION = 20
/** EventSource reconnects after this time, also in a tab whose stream had ended as the oldest before. */
const RECONNECT_MS = 3_000
/** The page of a displaced stream reconnects this late, so that many tabs take turns slowly. */
const DISPLACED_MS = 30_000

type Stream = {
  send(message: object): void
  comment(text: string): void
  end(): void
  /** Calls back at once if the stream has closed already. */
  onClose(then: () => void): void
}

export type Streams = {
  open(reply: FastifyReply, right: StreamRight): Stream
  /** Checks all streams now: a session or membership may have ended. */
  wake(): void
  stop(): Promise<void>
}

type Open = Stream & {
  readonly right: StreamRight
  lastWriteMs: number
  /** Sets the time after which the page reconnects when the stream has ended. */
  reconnectAfter(ms: number): void
}

export function createStreams({ db, log, now }: { readonly db: Db; readonly log: Logger; readonly now: () => Date }): Streams {
  const open = new Set<Open>()
  const loop = startLoop({
    async work() {
      if (open.size === 0) return IDLE_MS
      const granted = new Set((await listStreamRights(db, [...open].map(sessionOf), now())).map(keyOf))
      for (const stream of open) {
        if (!granted.has(keyOf(stream.right))) stream.end()
        else if (performance.now() - stream.lastWriteMs > KEEP_ALIVE_MS) stream.comment('keep-alive')
      }
      return CHECK_EVERY_MS
    },
    onError: (error) => log.warn({ err: error }, 'could not check the sessions of open dashboard streams'),
    retryMs: CHECK_EVERY_MS,
  })
  return {
    open(reply, right) {
      displaceOldest(open, right)
      const stream = streamOf(reply, right)
      open.add(stream)
      stream.onClose(() => open.delete(stream))
      loop.wake()
      return stream
    },
    wake: () => loop.wake(),
    async stop() {
      for (const stream of open) stream.end()
      await loop.stop()
    },
  }
}

function displaceOldest(open: Set<Open>, { sessionId }: StreamRight): void {
  const own = [...open].filter((it) => sessionOf(it) === sessionId)
  const [oldest] = own
  if (!oldest || own.length < MOST_PER_SESSION) return
  open.delete(oldest)
  oldest.reconnectAfter(DISPLACED_MS)
  oldest.end()
}

function streamOf(reply: FastifyReply, right: StreamRight): Open {
  reply.hijack()
  const { raw } = reply
  const write = (text: string): void => {
    if (raw.destroyed || raw.writableEnded) return
    stream.lastWriteMs = performance.now()
    raw.write(text)
    if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy()
  }
  const stream: Open = {
    right,
    lastWriteMs: performance.now(),
    send: (message) => write(`data: ${JSON.stringify(message)}\n\n`),
    comment: (text) => write(`: ${text}\n\n`),
    reconnectAfter: (ms) => write(`retry: ${ms}\n\n`),
    end: () => void raw.end(),
    onClose(then) {
      if (raw.destroyed) then()
      else raw.once('close', then)
    },
  }
  if (!raw.destroyed) raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  stream.reconnectAfter(RECONNECT_MS)
  return stream
}

const sessionOf = ({ right }: Open): string => right.sessionId

const keyOf = ({ sessionId, workspaceId }: { readonly sessionId: string; readonly workspaceId: WorkspaceId }): string =>
  `${sessionId} ${workspaceId}`
