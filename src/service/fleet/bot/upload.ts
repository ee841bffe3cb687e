// Uploads recordings while they grow: the bytes that all files of a bot gained since the last upload go into one object.
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { BotId } from '../../../domain/bot.ts'
import { factsToContinue, manifestLine, manifestName, manifestsAmong } from '../../../domain/recording.ts'
import { newId } from '../../../kit/id.ts'
import { createSemaphore } from '../../../kit/semaphore.ts'
import { createSerialQueue } from '../../../kit/serial-queue.ts'
import { packBundle, unpackBundle } from '../../../storage/bundle.ts'
import { bundlePrefix, contentTypeOf, type ObjectStore, recordingKey, recordingPrefix } from '../../../storage/store.ts'
import { withBotFile } from './bot-file.ts'
import { changeOwner } from './change-owner.ts'
import { newBundles, type Recorded, readRecorded, unlessMissing } from './recorded-files.ts'

export type UploadOptions = {
  readonly store: ObjectStore
  readonly recordings: string
  /** False: a node of the release before has to read the recordings too. */
  readonly allReadBundles: () => Promise<boolean>
}

/** Four cameras of 720p send less in eighteen seconds, so an interval of a bot is one request: with its first line it is smaller than a part of S3. */
const MOST_BYTES = 15 * 1024 * 1024
/** A bundle is in memory while it is uploaded, and after an outage of the store every bot has many. Bots take turns, bundle by bundle. */
const BUNDLES_AT_ONCE = 4

type Upload = {
  readonly serially: ReturnType<typeof createSerialQueue>
  /** The uploaded length of each file. Files only grow. */
  readonly lengths: Map<string, number>
  isBundled: boolean | null
}

export class Uploads {
  readonly #options: UploadOptions
  readonly #uploads = new Map<BotId, Upload>()
  readonly #inTurn = createSemaphore(() => BUNDLES_AT_ONCE)

  constructor(options: UploadOptions) {
    this.#options = options
  }

  /** Bots with a recording in the folder of this node. */
  async recordedBots(): Promise<readonly BotId[]> {
    const names = await readdir(this.#options.recordings).catch(unlessMissing)
    return (names ?? []) as BotId[]
  }

  /** Uploads what is synced to the disk, also of open segments. */
  upload(botId: BotId): Promise<void> {
    const upload = this.#of(botId)
    return upload.serially(() => this.#upload(botId, upload))
  }

  /** Uploads everything and removes the folder. */
  finish(botId: BotId): Promise<void> {
    const folder = join(this.#options.recordings, botId)
    const upload = this.#of(botId)
    return upload.serially(async () => {
      // The worker that wrote it may serve other bots. From here on it cannot touch this folder.
      if (process.getuid?.() === 0 && existsSync(folder)) changeOwner(folder, 0)
      await this.#upload(botId, upload)
      await rm(folder, { recursive: true, force: true })
      this.#uploads.delete(botId)
    })
  }

  /** Before a session here: writes what it needs to continue the recording of another node. */
  async prepare(botId: BotId, folder: string): Promise<void> {
    // The folder of a bot that records nothing is finished too, and what is known of its upload goes with it.
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // Asked now, because a recording is uploaded even while the database does not answer.
    this.#of(botId).isBundled ??= await this.#isBundled(botId)
    const here = manifestsAmong((await readdir(folder).catch(unlessMissing)) ?? []).filter(({ origin }) => origin === 'own')
    const isHere = (session: number) => here.some((it) => it.session === session)
    for (const { name, session } of manifestsAmong(await this.#namesAt(recordingPrefix(botId)))) {
      const object = isHere(session) ? null : await this.#options.store.get(recordingKey(botId, name))
      if (object) await pipeline(object.stream, createWriteStream(await freeCopy(folder, session), NEW_FILE))
    }
    const newest = (await this.#namesAt(bundlePrefix(botId))).toSorted(byAge).at(-1)
    const object = newest && !isHere(sessionOf(newest)) ? await this.#options.store.get(bundlePrefix(botId) + newest) : null
    if (!newest || !object) return
    await writeFile(await freeCopy(folder, sessionOf(newest)), unpackBundle(await buffer(object.stream)).note, NEW_FILE)
  }

  #of(botId: BotId): Upload {
    const upload = this.#uploads.get(botId) ?? { serially: createSerialQueue(), lengths: new Map<string, number>(), isBundled: null }
    this.#uploads.set(botId, upload)
    return upload
  }

  async #namesAt(prefix: string): Promise<readonly string[]> {
    return (await this.#options.store.list(prefix)).map((key) => key.slice(prefix.length))
  }

  async #upload(botId: BotId, upload: Upload): Promise<void> {
    const recorded = await readRecorded(botId, join(this.#options.recordings, botId), upload.lengths)
    if (!recorded) return
    upload.isBundled ??= await this.#isBundled(botId)
    await (upload.isBundled ? this.#putBundles(recorded, upload) : this.#putFiles(recorded, upload))
  }

  /** A recording goes on as it began, because the manifests of its sessions are read as one. */
  async #isBundled(botId: BotId): Promise<boolean> {
    if (manifestsAmong(await this.#namesAt(recordingPrefix(botId))).length > 0) return false
    return (await this.#namesAt(bundlePrefix(botId))).length > 0 || (await this.#options.allReadBundles())
  }

  async #putBundles(recorded: Recorded, { lengths }: Upload): Promise<void> {
    const note = factsToContinue(recorded.manifest).map(manifestLine).join('')
    const bundles = newBundles(recorded, lengths, MOST_BYTES)
    const putNext = async (): Promise<boolean> => {
      const { value: parts } = await bundles.next()
      if (!parts) return false
      const name = `${recorded.session}-${newId('at', new Date())}.bundle`
      await this.#options.store.put(bundlePrefix(recorded.botId) + name, packBundle({ note, parts }), { contentType: contentTypeOf(name) })
      for (const { file, from, content } of parts) lengths.set(file, from + content.length)
      return true
    }
    while (await this.#inTurn(putNext)) {}
  }

  /** As the release before did. */
  async #putFiles({ botId, folder, grown }: Recorded, { lengths }: Upload): Promise<void> {
    for (const { file, bytes, text } of grown) {
      const put = (source: Buffer | { readonly file: string }) =>
        this.#options.store.put(recordingKey(botId, file), source, { contentType: contentTypeOf(file) })
      await (text === undefined
        ? withBotFile(join(folder, file), `/${botId}/${file}`, (path) => put({ file: path }))
        : put(Buffer.from(text)))
      lengths.set(file, bytes)
    }
  }
}

/** Created exclusively: an earlier worker of the bot may have left a link in its place. Streams read `flags`, and writeFile reads `flag`. */
const NEW_FILE = { flags: 'wx', flag: 'wx', mode: 0o600 } as const

/** The path of a copy, which does not exist. */
async function freeCopy(folder: string, session: number): Promise<string> {
  const copy = join(folder, manifestName(session, 'copy'))
  await rm(copy, { force: true })
  return copy
}

/** The session that was the newest of its node when the bundle was made. */
const sessionOf = (bundle: string): number => Number.parseInt(bundle, 10)
const byAge = (a: string, b: string): number => sessionOf(a) - sessionOf(b) || (a < b ? -1 : 1)
