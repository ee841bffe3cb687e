// Uploads recordings: closed segments while the meeting runs, the rest at its end, each file once.
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../domain/bot.ts'
import { joinManifests, type ManifestFile, manifestName, manifestsAmong, type Segment, tracksOf } from '../../domain/recording.ts'
import { contentTypeOf, type ObjectStore, recordingKey, recordingPrefix } from '../../storage/store.ts'
import { withBotFile } from './bot-file.ts'
import { changeOwner } from './change-owner.ts'

export type UploadOptions = { readonly store: ObjectStore; readonly recordings: string }

export type Extent = 'closed segments' | 'everything'

export class Uploads {
  readonly #options: UploadOptions
  /** The uploaded length of each file. Files only grow. */
  readonly #uploaded = new Map<BotId, Map<string, number>>()

  constructor(options: UploadOptions) {
    this.#options = options
  }

  /** Bots with a recording in the folder of this node. */
  async recordedBots(): Promise<readonly BotId[]> {
    const names = await readdir(this.#options.recordings).catch(unlessMissing)
    return (names ?? []) as BotId[]
  }

  /** `everything` includes open segments, for a folder that no session writes to. */
  async upload(botId: BotId, extent: Extent): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    const names = await readdir(folder).catch(unlessMissing)
    const manifests = manifestsAmong(names ?? []).filter(({ origin }) => origin === 'own')
    const texts = await readAll(folder, botId, manifests)
    // Removed by a concurrent upload.
    if (names === null || texts === null) return
    const segments = tracksOf(joinManifests(texts)).flatMap((track) => track.segments)
    const ready = segments.filter(({ file, closed }) => names.includes(file) && (closed || extent === 'everything'))
    for (const segment of ready) await this.#putSegment(botId, folder, segment)
    // After their segments, so that a reader of a manifest finds them.
    for (const [index, { name }] of manifests.entries()) await this.#putManifest(botId, name, texts[index] ?? '')
  }

  /** Uploads everything and removes the folder. */
  async finish(botId: BotId): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    // The host that wrote it may serve other bots. From here on it cannot touch this folder.
    if (process.getuid?.() === 0 && existsSync(folder)) changeOwner(folder, 0)
    await this.upload(botId, 'everything')
    await rm(folder, { recursive: true, force: true })
    this.#uploaded.delete(botId)
  }

  /** Copies the manifests of a bot that was recorded on another node, so that it continues the same recording. */
  async restoreManifests(botId: BotId, folder: string): Promise<void> {
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
      // Created exclusively: an earlier host of the bot may have left a link in its place.
      await pipeline(object.stream, createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
    }
  }

  #putSegment(botId: BotId, folder: string, { file, bytes }: Pick<Segment, 'file' | 'bytes'>): Promise<void> {
    const path = join(folder, file)
    return this.#putOnce(botId, file, bytes, () => withBotFile(path, `/${botId}/${file}`, (safe) => this.#put(botId, file, { file: safe })))
  }

  #putManifest(botId: BotId, name: string, text: string): Promise<void> {
    return this.#putOnce(botId, name, text.length, () => this.#put(botId, name, Buffer.from(text)))
  }

  /** Skips a file whose uploaded length is the same. */
  async #putOnce(botId: BotId, file: string, length: number, put: () => Promise<unknown>): Promise<void> {
    const uploaded = this.#uploaded.get(botId) ?? new Map<string, number>()
    this.#uploaded.set(botId, uploaded)
    if (uploaded.get(file) === length) return
    await put()
    uploaded.set(file, length)
  }

  async #put(botId: BotId, file: string, source: Buffer | { readonly file: string }): Promise<void> {
    await this.#options.store.put(recordingKey(botId, file), source, { contentType: contentTypeOf(file) })
  }
}

/** Null: one of them has just been removed. */
async function readAll(folder: string, botId: BotId, files: readonly ManifestFile[]): Promise<string[] | null> {
  const read = ({ name }: ManifestFile) => withBotFile(join(folder, name), `/${botId}/${name}`, (path) => readFile(path, 'utf8'))
  const texts = await Promise.all(files.map(read))
  return texts.every((text) => text !== null) ? texts : null
}

/** Only a missing file counts as absent: a recording must not be discarded because of a read error. */
function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
