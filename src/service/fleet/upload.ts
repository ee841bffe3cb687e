// Takes what bots record to the store: closed segments while the meeting runs, the rest when it is over. What was taken once is not again.
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { parseManifest, tracksOf } from '../../domain/recording.ts'
import { contentTypeOf, type ObjectStore, recordingKey } from '../../storage/store.ts'

const MANIFEST = 'manifest.jsonl'

export type UploadOptions = { readonly store: ObjectStore; readonly recordings: string }

export class Uploads {
  readonly #options: UploadOptions
  readonly #taken = new Map<BotId, Set<string>>()

  constructor(options: UploadOptions) {
    this.#options = options
  }

  /** The bots that have left something here. */
  async here(): Promise<readonly BotId[]> {
    const names = await readdir(this.#options.recordings).catch(unlessMissing)
    return (names ?? []) as BotId[]
  }

  /** While the bot records: what is closed, and the manifest as it stands. */
  async take(botId: BotId): Promise<void> {
    await this.#put(botId, false)
  }

  /** When nothing more comes: everything. Nothing is left here afterwards. */
  async finish(botId: BotId): Promise<void> {
    await this.#put(botId, true)
    await rm(join(this.#options.recordings, botId), { recursive: true, force: true })
    this.#taken.delete(botId)
  }

  /** For a bot that was recorded elsewhere before: its manifest, so that it goes on with the same recording. */
  async bringBack(botId: BotId, folder: string): Promise<void> {
    if (existsSync(join(folder, MANIFEST))) return
    const before = await this.#options.store.get(recordingKey(botId, MANIFEST))
    if (!before) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await pipeline(before.stream, createWriteStream(join(folder, MANIFEST), { mode: 0o600 }))
  }

  async #put(botId: BotId, all: boolean): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    // None: it never got in, or has been taken before, maybe in this very moment.
    const text = await readFile(join(folder, MANIFEST), 'utf8').catch(unlessMissing)
    const names = await readdir(folder).catch(unlessMissing)
    if (text === null || names === null) return
    const taken = this.#taken.get(botId) ?? new Set<string>()
    this.#taken.set(botId, taken)
    const segments = tracksOf(parseManifest(text)).flatMap((track) => track.segments)
    const present = new Set(names)
    for (const { file, closed } of segments) {
      if (taken.has(file) || !present.has(file) || !(closed || all)) continue
      await this.#store(botId, folder, file)
      if (closed) taken.add(file)
    }
    // Behind the segments it tells of: whoever reads it finds them.
    await this.#options.store.put(recordingKey(botId, MANIFEST), Buffer.from(text), { contentType: contentTypeOf(MANIFEST) })
  }

  async #store(botId: BotId, folder: string, file: string): Promise<void> {
    await this.#options.store.put(recordingKey(botId, file), { file: join(folder, file) }, { contentType: contentTypeOf(file) })
  }
}

/** What cannot be read is not what is not there: a recording is never thrown away for a disk that failed once. */
function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
