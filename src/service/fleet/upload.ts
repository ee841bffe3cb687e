// Uploads what bots record: closed segments while the meeting runs, the rest when it is over. What was uploaded once is not uploaded again.
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, type ManifestFile, manifestName, manifestsAmong, type Segment, tracksOf } from '../../domain/recording.ts'
import { contentTypeOf, type ObjectStore, recordingKey, recordingPrefix } from '../../storage/store.ts'
import { withBotFile } from './bot-file.ts'
import { handOver } from './hand-over.ts'

export type UploadOptions = { readonly store: ObjectStore; readonly recordings: string }

export type Extent = 'closed segments' | 'everything'

export class Uploads {
  readonly #options: UploadOptions
  /** Of each file the length that was uploaded last: files only grow. */
  readonly #uploaded = new Map<BotId, Map<string, number>>()

  constructor(options: UploadOptions) {
    this.#options = options
  }

  /** The bots with a recording on this machine. */
  async here(): Promise<readonly BotId[]> {
    const names = await readdir(this.#options.recordings).catch(unlessMissing)
    return (names ?? []) as BotId[]
  }

  /** `everything` where no session writes here any more: open segments, too. */
  async take(botId: BotId, extent: Extent): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    const names = await readdir(folder).catch(unlessMissing)
    const manifests = manifestsAmong(names ?? []).filter(({ origin }) => origin === 'own')
    const texts = await readAll(folder, botId, manifests)
    // Taken before, maybe in this very moment.
    if (names === null || texts === null) return
    const segments = tracksOf(joinManifests(texts)).flatMap((track) => track.segments)
    const ready = segments.filter(({ file, closed }) => names.includes(file) && (closed || extent === 'everything'))
    for (const segment of ready) await this.#putSegment(botId, folder, segment)
    // Behind the segments they name: a reader of a manifest finds them.
    for (const [index, { name }] of manifests.entries()) await this.#putManifest(botId, name, texts[index] ?? '')
  }

  /** When nothing more comes: everything. Nothing is left here afterwards. */
  async finish(botId: BotId): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    // The host that wrote it may go on with other bots. From here on it cannot touch this one's folder.
    if (process.getuid?.() === 0 && existsSync(folder)) handOver(folder, 0)
    await this.take(botId, 'everything')
    await rm(folder, { recursive: true, force: true })
    this.#uploaded.delete(botId)
  }

  /** For a bot that was recorded elsewhere before: copies of its manifests, so that it goes on with the same recording. */
  async bringBack(botId: BotId, folder: string): Promise<void> {
    const prefix = recordingPrefix(botId)
    const stored = manifestsAmong((await this.#options.store.list(prefix)).map((key) => key.slice(prefix.length)))
    const here = manifestsAmong((await readdir(folder).catch(unlessMissing)) ?? []).filter(({ origin }) => origin === 'own')
    for (const { name, session } of stored) {
      if (here.some((it) => it.session === session)) continue
      const object = await this.#options.store.get(recordingKey(botId, name))
      if (!object) continue
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const copy = join(folder, manifestName(session, 'copy'))
      await rm(copy, { force: true })
      // Made anew: an earlier host of the bot may have left a link in its place.
      await pipeline(object.stream, createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
    }
  }

  async #putSegment(botId: BotId, folder: string, { file, bytes }: Pick<Segment, 'file' | 'bytes'>): Promise<void> {
    const uploaded = this.#uploadedOf(botId)
    if (uploaded.get(file) === bytes) return
    await withBotFile(join(folder, file), `/${botId}/${file}`, (path) => this.#put(botId, file, { file: path }))
    uploaded.set(file, bytes)
  }

  async #putManifest(botId: BotId, name: string, text: string): Promise<void> {
    const uploaded = this.#uploadedOf(botId)
    if (uploaded.get(name) === text.length) return
    await this.#put(botId, name, Buffer.from(text))
    uploaded.set(name, text.length)
  }

  #uploadedOf(botId: BotId): Map<string, number> {
    const uploaded = this.#uploaded.get(botId) ?? new Map<string, number>()
    this.#uploaded.set(botId, uploaded)
    return uploaded
  }

  async #put(botId: BotId, file: string, source: Buffer | { readonly file: string }): Promise<void> {
    await this.#options.store.put(recordingKey(botId, file), source, { contentType: contentTypeOf(file) })
  }
}

/** Null when one of them has just been taken away. */
async function readAll(folder: string, botId: BotId, files: readonly ManifestFile[]): Promise<string[] | null> {
  const read = ({ name }: ManifestFile) => withBotFile(join(folder, name), `/${botId}/${name}`, (path) => readFile(path, 'utf8'))
  const texts = await Promise.all(files.map(read))
  return texts.every((text) => text !== null) ? texts : null
}

/** What cannot be read is not what is not there: a recording is never thrown away for a disk that failed once. */
function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
