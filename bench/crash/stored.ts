// What the store holds of recordings, read as soon as it is there: the service deletes it when it has made files of it.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestsAmong } from '../../src/domain/recording.ts'
import { type Span, spansIn } from './media.ts'

const LOOK_EVERY_MS = 100

type Version = { readonly writtenAt: number; readonly spans: readonly Span[] }

export class StoredRecordings {
  /** By folder. */
  readonly #versions = new Map<string, Version | null>()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  follow(folder: string): void {
    this.#versions.set(folder, null)
  }

  /** Of the last version that was written. */
  spansOf(folder: string): readonly Span[] {
    return this.#versions.get(folder)?.spans ?? []
  }

  close(): void {
    this.#look()
    clearInterval(this.#timer)
  }

  /** A manifest is written behind the segments that it tells of, so each version is read once: it may be in the midst of its deletion later. */
  #look(): void {
    for (const [folder, version] of this.#versions) {
      const writtenAt = modifiedAt(folder)
      if (writtenAt > (version?.writtenAt ?? 0)) this.#versions.set(folder, { writtenAt, spans: spansIn(folder) })
    }
  }
}

/** Of its newest manifest; 0 where there is none. */
function modifiedAt(folder: string): number {
  const names = existsSync(folder) ? manifestsAmong(readdirSync(folder)).map(({ name }) => name) : []
  return Math.max(0, ...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0))
}
