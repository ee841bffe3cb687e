// Reads recordings in the bucket while they grow, because the service deletes them after processing.
import { type Loop, startLoop } from '../../src/kit/loop.ts'
import { openS3, type S3Options } from '../../src/storage/s3.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { readBucketRecording } from '../../test/helpers/bucket.ts'
import { lengthOf, type Span, spansOf } from './media.ts'

const LOOK_EVERY_MS = 300

export class BucketRecordings {
  readonly #store: ObjectStore
  /** By bot. */
  readonly #spans = new Map<string, readonly Span[]>()
  readonly #loop: Loop

  constructor(options: S3Options) {
    this.#store = openS3(options)
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
      const { facts, tracks } = await readBucketRecording(this.#store, botId)
      const spans = spansOf(facts, tracks)
      if (totalMs(spans) > totalMs(before)) this.#spans.set(botId, spans)
    }
  }
}

function totalMs(spans: readonly Span[]): number {
  return spans.reduce((sum, span) => sum + lengthOf(span), 0)
}
