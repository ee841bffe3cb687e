// Reads recordings in the store while they grow, because the service deletes them after processing.
import { type Loop, startLoop } from '../../src/kit/loop.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { readBucketRecording } from '../../test/helpers/service/bucket.ts'
import { lengthOf, type Span, spansOf } from './media.ts'

const LOOK_EVERY_MS = 200

export class StoredRecordings {
  readonly #store: ObjectStore
  /** By bot. */
  readonly #spans = new Map<string, readonly Span[]>()
  /** Objects that were read, by key. */
  readonly #read = new Map<string, Buffer>()
  readonly #loop: Loop

  constructor(store: ObjectStore) {
    this.#store = store
    const onError = (error: unknown) => console.error(error)
    this.#loop = startLoop({ work: () => this.#look().then(() => LOOK_EVERY_MS), onError, retryMs: LOOK_EVERY_MS })
  }

  follow(botId: string): void {
    this.#spans.set(botId, [])
  }

  spansOf(botId: string): readonly Span[] {
    return this.#spans.get(botId) ?? []
  }

  close(): Promise<void> {
    return this.#loop.stop()
  }

  /** A recording only grows until it is deleted, so the longest version is the last whole one. */
  async #look(): Promise<void> {
    for (const [botId, before] of this.#spans) {
      const { facts, tracks } = await readBucketRecording(this.#store, botId, this.#read)
      const spans = spansOf(facts, tracks)
      if (totalMs(spans) > totalMs(before)) this.#spans.set(botId, spans)
    }
  }
}

function totalMs(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + lengthOf(span), 0)
}
