// The bot's own microphone and camera, as they are used from here: their page side is put into the meeting's page and told what to do.

import { randomBytes } from 'node:crypto'
import { Failure } from '../../kit/failure.ts'
import { LiveSound, type SoundShape } from './live-sound.ts'
import { pictureOf } from './media-type.ts'
import { outgoingScript } from './page-script.ts'

/** Runs an expression in the meeting's page and answers its value (promises awaited). Asked twice, it runs them in that order. */
export type PageRunner = (expression: string) => Promise<unknown>

type Playing = {
  /** Settles when it starts to sound; false: it was cleared before. */
  readonly begun: Promise<boolean>
  /** Settles when it ended or was cleared. */
  readonly over: Promise<void>
}

/** All of it is lost when the page is left; the next page begins with the plain ground and silence. */
export interface OutgoingMedia {
  /** For `context.addInitScript`: puts our microphone and camera under `navigator.mediaDevices`. */
  readonly initScript: string
  /**
   * Shows the picture (PNG, JPEG, WebP, also moving WebP and GIF) contained in 1280x720 on a plain ground; null: the plain ground.
   * Settles when the first frame is painted, or when a later picture took its place.
   */
  show(run: PageRunner, picture: Buffer | null): Promise<void>
  /** Queues a clip (WAV, MP3, OGG, M4A, FLAC). Clips and what is fed sound one after another. */
  play(run: PageRunner, clip: Buffer): Playing
  /** Raw sound, pcm s16le, that goes on without a gap behind what was fed before. Settles when it is queued. */
  feed(run: PageRunner, pcm: Buffer, shape: SoundShape): Promise<void>
  /** Silence at once; what waits is forgotten. */
  clear(run: PageRunner): Promise<void>
  /** Whether anything sounds or waits in the page. */
  sounding(run: PageRunner): Promise<boolean>
}

/** One of these goes into one message to the browser: larger ones hold up everything else that is said to it. */
const PART_BYTES = 384 * 1024

/** One for each bot. */
export function createOutgoingMedia(): OutgoingMedia {
  const name = `_${randomBytes(16).toString('hex')}`
  return new Outgoing(outgoingScript(name), (run, word, ...args) =>
    run(`window[${JSON.stringify(name)}].${word}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`),
  )
}

type Say = (run: PageRunner, word: string, ...args: readonly (string | null)[]) => Promise<unknown>

class Outgoing implements OutgoingMedia {
  readonly initScript: string
  readonly #say: Say
  #files = 0
  #shows = 0
  #clears = 0
  /** Sound reaches the page in the order in which it was asked for, however many parts each takes. */
  #line: Promise<unknown> = Promise.resolve()
  #live: LiveSound | null = null

  constructor(initScript: string, say: Say) {
    this.initScript = initScript
    this.#say = say
  }

  async show(run: PageRunner, picture: Buffer | null): Promise<void> {
    const turn = ++this.#shows
    const type = picture ? (pictureOf(picture)?.type ?? null) : null
    if (picture && !type) throw new Failure('picture_unreadable', 'The picture is neither PNG, JPEG, WebP nor GIF.')
    const isPast = () => turn !== this.#shows
    const file = picture && (await this.#send(run, picture, isPast))
    if (isPast()) return
    if ((await this.#say(run, 'show', file, type)) !== true)
      throw new Failure('picture_unreadable', `The picture (${type}) could not be decoded.`)
  }

  play(run: PageRunner, clip: Buffer): Playing {
    const clears = this.#clears
    const isPast = () => clears !== this.#clears
    const queued = this.#inLine(async () => {
      const file = await this.#send(run, clip, isPast)
      if (isPast()) return null
      await this.#say(run, 'play', file)
      return file
    })
    const begun = queued.then(async (file) => {
      const how = file === null ? 'cleared' : await this.#say(run, 'begun', file)
      if (how === 'unreadable') throw new Failure('clip_unreadable', 'The clip could not be decoded.')
      return how === 'sounds'
    })
    const over = queued.then(async (file) => {
      if (file !== null) await this.#say(run, 'over', file)
    })
    // Whoever waits for one of them hears of it; nobody need wait for both.
    for (const promise of [begun, over]) promise.catch(() => undefined)
    return { begun, over }
  }

  async feed(run: PageRunner, pcm: Buffer, shape: SoundShape): Promise<void> {
    const clears = this.#clears
    const { sent } = await this.#inLine(async () => {
      if (clears !== this.#clears) return { sent: [] }
      if (!this.#live?.isOf(shape)) this.#live = new LiveSound(shape)
      // The next chunk is sent before the page has answered: to wait for each answer could take longer than the sound itself.
      return { sent: partsOf(this.#live.convert(pcm)).map((part) => this.#say(run, 'feed', part.toString('base64'))) }
    })
    await Promise.all(sent)
  }

  async clear(run: PageRunner): Promise<void> {
    this.#clears++
    this.#live = null
    await this.#say(run, 'clear')
  }

  async sounding(run: PageRunner): Promise<boolean> {
    return (await this.#say(run, 'sounding')) === true
  }

  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#line.then(work)
    this.#line = turn.catch(() => undefined) // Told to whoever asked for it; the next one has its turn all the same.
    return turn
  }

  /** The file's name in the page. Once it belongs to the past, no more of it is sent. */
  async #send(run: PageRunner, bytes: Buffer, isPast: () => boolean): Promise<string> {
    const file = String(++this.#files)
    for (const part of partsOf(bytes)) {
      if (isPast()) break
      await this.#say(run, 'part', file, part.toString('base64'))
    }
    if (isPast()) await this.#say(run, 'drop', file)
    return file
  }
}

function partsOf(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += PART_BYTES) parts.push(bytes.subarray(at, at + PART_BYTES))
  return parts
}
