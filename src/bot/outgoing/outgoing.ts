// The bot's microphone and camera. Their code runs in the meeting's page, and this file calls it.

import { randomBytes } from 'node:crypto'
import { Failure } from '../../kit/failure.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'
import { hiddenObject, pageCall } from '../worker/page-bundle.ts'
import { pictureOf } from './media-type.ts'
import { type PcmFormat, PcmResampler } from './pcm-resampler.ts'

/** Runs an expression in the meeting's page and resolves with its awaited value. Keeps the order of calls. */
export type PageRunner = (expression: string) => Promise<unknown>

type Playing = {
  /** Resolves when the clip starts to play, or with false if it is cleared before. */
  readonly started: Promise<boolean>
  /** Resolves when the clip ends or is cleared. */
  readonly ended: Promise<void>
}

/** Size of one message to the browser. Larger ones delay all other messages to it. */
const PART_BYTES = 384 * 1024

/** One for each bot. */
export function createOutgoingMedia(): OutgoingMedia {
  const name = `_${randomBytes(16).toString('hex')}`
  return new OutgoingMedia(pageCall(import.meta.url, 'page/start.ts', 'startOutgoing', name), (run, method, ...args) =>
    run(`${hiddenObject(name)}.${method}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`),
  )
}

type CallPage = (run: PageRunner, method: string, ...args: readonly (string | null)[]) => Promise<unknown>

/** Leaving the page loses all state. The next page starts with the plain background and silence. */
export class OutgoingMedia {
  /** For `context.addInitScript`: installs the bot's devices in `navigator.mediaDevices`. */
  readonly initScript: string
  readonly #call: CallPage
  #files = 0
  #shows = 0
  #clears = 0
  /** Audio reaches the page in the order of the calls, however many parts each takes. */
  readonly #enqueue = createSerialQueue()
  #resampler: PcmResampler | null = null

  constructor(initScript: string, call: CallPage) {
    this.initScript = initScript
    this.#call = call
  }

  /**
   * Shows the picture (PNG, JPEG, WebP or GIF, also animated) fitted into 1280x720 on a plain background; null: the background.
   * Resolves when the first frame is painted, or when a later picture replaces this one.
   */
  async show(run: PageRunner, picture: Buffer | null): Promise<void> {
    const turn = ++this.#shows
    const type = picture ? (pictureOf(picture)?.type ?? null) : null
    if (picture && !type) throw new Failure('picture_unreadable', 'The picture must be PNG, JPEG, WebP or GIF.')
    const isObsolete = () => turn !== this.#shows
    const file = picture && (await this.#send(run, picture, isObsolete))
    if (isObsolete()) return
    if ((await this.#call(run, 'show', file, type)) !== true)
      throw new Failure('picture_unreadable', `The picture (${type}) could not be decoded; its file is damaged.`)
  }

  /** Queues a clip (WAV, MP3, OGG, M4A, FLAC). Clips and raw audio play one after another. */
  play(run: PageRunner, clip: Buffer): Playing {
    const clears = this.#clears
    const isObsolete = () => clears !== this.#clears
    const queued = this.#enqueue(async () => {
      const file = await this.#send(run, clip, isObsolete)
      if (isObsolete()) return null
      await this.#call(run, 'play', file)
      return file
    })
    const started = queued.then(async (file) => {
      const outcome = file === null ? 'cleared' : await this.#call(run, 'started', file)
      if (outcome === 'undecodable')
        throw new Failure('clip_unreadable', 'The clip could not be decoded; it must be WAV, MP3, OGG, M4A or FLAC.')
      return outcome === 'playing'
    })
    const ended = queued.then(async (file) => {
      if (file !== null) await this.#call(run, 'ended', file)
    })
    // A caller may await only one of them, so the other's rejection is handled here.
    for (const promise of [started, ended]) promise.catch(() => undefined)
    return { started, ended }
  }

  /** Queues raw audio (pcm s16le), which continues earlier raw audio without a gap. Resolves when it is queued. */
  async feed(run: PageRunner, pcm: Buffer, shape: PcmFormat): Promise<void> {
    const clears = this.#clears
    const { sent } = await this.#enqueue(async () => {
      if (clears !== this.#clears) return { sent: [] }
      if (!this.#resampler?.accepts(shape)) this.#resampler = new PcmResampler(shape)
      // Sends the next chunk without awaiting the page: waiting for each answer could take longer than the audio itself.
      return { sent: partsOf(this.#resampler.convert(pcm)).map((part) => this.#call(run, 'feed', part.toString('base64'))) }
    })
    await Promise.all(sent)
  }

  /** Stops all audio at once and empties the queue. */
  async clear(run: PageRunner): Promise<void> {
    this.#clears++
    this.#resampler = null
    await this.#call(run, 'clear')
  }

  /** True while audio plays or waits in the page. */
  async isPlaying(run: PageRunner): Promise<boolean> {
    return (await this.#call(run, 'isPlaying')) === true
  }

  /** Resolves with the file's name in the page. Stops sending once the file is obsolete. */
  async #send(run: PageRunner, bytes: Buffer, isObsolete: () => boolean): Promise<string> {
    const file = String(++this.#files)
    for (const part of partsOf(bytes)) {
      if (isObsolete()) break
      await this.#call(run, 'part', file, part.toString('base64'))
    }
    if (isObsolete()) await this.#call(run, 'drop', file)
    return file
  }
}

function partsOf(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES))
  return parts
}
