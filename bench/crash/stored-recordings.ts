// Reads recordings in the store as soon as they appear, because the service deletes them after processing.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestsAmong } from '../../src/domain/recording.ts'
import { type Span, spansIn } from './media.ts'

const LOOK_EVERY_MS = 100

type Version = { readonly writtenAt: number; readonly spans: readonly Span[] }

/** Recordings of followed bots, as far as they are stored. */
export type Recordings = {
  follow(botId: string): void
  /** Of the latest version. */
  spansOf(botId: string): readonly Span[]
  close(): Promise<void>
}

export class StoredRecordings implements Recordings {
  readonly #folderOf: (botId: string) => string
  /** By folder. */
  readonly #versions = new Map<string, Version | null>()
  readonly #timer: NodeJS.Timeout

  constructor(folderOf: (botId: string) => string) {
    this.#folderOf = folderOf
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  follow(botId: string): void {
    this.#versions.set(this.#folderOf(botId), null)
  }

  spansOf(botId: string): readonly Span[] {
    return this.#versions.get(this.#folderOf(botId))?.spans ?? []
  }

  async close(): Promise<void> {
    this.#look()
    clearInterval(this.#timer)
  }

  /** A manifest is written after its segments, so each version is read at once: later, its deletion may have begun. */
  #look(): void {
    for (const [folder, version] of this.#versions) {
      const writtenAt = modifiedAt(folder)
      if (writtenAt > (version?.writtenAt ?? 0)) this.#versions.set(folder, { writtenAt, spans: spansIn(folder) })
    }
  }
}

/** The time of its newest manifest, or 0. */
function modifiedAt(folder: string): number {
  const names = existsSync(folder) ? manifestsAmong(readdirSync(folder)).map(({ name }) => name) : []
  return Math.max(0, ...names.map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0))
}
