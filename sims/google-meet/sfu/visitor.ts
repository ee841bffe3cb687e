// A browser in the space: its connection for as long as there is one, and what it was told, heard and seen with.

import { HeardSound, SeenPictures } from '../../webrtc/received.ts'
import type { Connection } from './connection.ts'
import { collections, type News } from './messages.ts'
import type { Note, NoteDelay } from './words.ts'

export class VisitorSeat {
  readonly deviceId: string
  readonly heard = new HeardSound()
  readonly seen = new SeenPictures()
  /** Whoever is out gets nothing more, but may still hang on the line. */
  isIn = true
  connection: Connection | null = null
  readonly #delay: NoteDelay
  readonly #missed: News[] = []
  readonly #waiting = new Set<NodeJS.Timeout>()

  constructor(deviceId: string, delay: NoteDelay) {
    this.deviceId = deviceId
    this.#delay = delay
  }

  /** What is told after the same delay is told in one message. */
  tell(news: readonly News[], sequence: number): void {
    if (!this.connection?.isOpen) this.#missed.push(...news.filter(({ about }) => about === 'chat'))
    const byDelay = Map.groupBy(news, (it) => this.#delay(noteOf(it)))
    for (const [delayMs, together] of byDelay) {
      if (delayMs === null) continue
      const bytes = collections(together, sequence, this.deviceId)
      if (delayMs <= 0) this.connection?.tell('collections', bytes)
      else this.#later(delayMs, () => this.connection?.tell('collections', bytes))
    }
  }

  /** Chat of the time in which the visitor was in the meeting, and its channel not yet open. */
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
