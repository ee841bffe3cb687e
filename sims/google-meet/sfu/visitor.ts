// A browser in the space: its connection while it has one, and the notes that it was sent.

import { AudioSink, VideoSink } from '../../webrtc/received.ts'
import type { Connection } from './connection.ts'
import { collections, type News } from './messages.ts'
import type { Note, NoteDelay, SpaceOptions } from './types.ts'

export class VisitorSeat {
  readonly deviceId: string
  readonly receivedAudio = new AudioSink()
  readonly receivedVideo = new VideoSink()
  /** A visitor that was removed receives nothing, but may still be connected. */
  isIn = true
  connection: Connection | null = null
  readonly #delay: NoteDelay
  readonly #reader: Parameters<typeof collections>[2]
  readonly #missed: News[] = []
  readonly #waiting = new Set<NodeJS.Timeout>()

  constructor(deviceId: string, { delay = () => 0, outputsAt = 'usual', outputsName = 'owners' }: SpaceOptions) {
    this.deviceId = deviceId
    this.#delay = delay
    this.#reader = { self: deviceId, outputsAt, outputsName }
  }

  /** Notes with the same delay are sent in one message. */
  notify(news: readonly News[], sequence: number): void {
    if (!this.connection?.isOpen) this.#missed.push(...news.filter(({ about }) => about === 'chat'))
    const byDelay = Map.groupBy(news, (it) => this.#delay(noteOf(it)))
    for (const [delayMs, messages] of byDelay) {
      if (delayMs === null) continue
      const bytes = collections(messages, sequence, this.#reader)
      if (delayMs <= 0) this.connection?.send('collections', bytes)
      else this.#later(delayMs, () => this.connection?.send('collections', bytes))
    }
  }

  /** Chat from the time when the visitor was in the meeting and its channel was not open yet. */
  takeMissed(): readonly News[] {
    return this.#missed.splice(0)
  }

  async disconnect(): Promise<void> {
    for (const timer of this.#waiting) clearTimeout(timer)
    this.#waiting.clear()
    const { connection } = this
    this.connection = null
    await connection?.close()
  }

  #later(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer)
      action()
    }, delayMs)
    this.#waiting.add(timer)
  }
}

function noteOf(news: News): Note {
  if (news.about === 'user') return { about: 'user', deviceId: news.user.deviceId, name: news.user.name }
  if (news.about === 'chat') return { about: 'chat', deviceId: news.line.deviceId, name: news.line.name }
  return { about: news.output.kind, deviceId: news.output.deviceId, name: news.output.name }
}
