// A scripted person of any simulated call: a microphone, a camera and a screen. A platform adds the roster entry and the streams.
import { type Picture, pictureOf } from './encode.ts'
import type { Person, ScriptedPerson, Stretch } from './types.ts'
import type { Voice } from './voice.ts'

export type PictureKind = 'camera' | 'screen'

const SIZES: Readonly<Record<PictureKind, { readonly width: number; readonly height: number }>> = {
  camera: { width: 320, height: 180 },
  screen: { width: 640, height: 360 },
}

export abstract class Participant<Packet, Speaker extends object> implements ScriptedPerson {
  abstract readonly voice: Voice<Packet, Speaker>
  #name: string
  #isHere = true
  #colour: string | null = null

  protected constructor({ name }: Person) {
    this.#name = name
  }

  get name(): string {
    return this.#name
  }

  abstract say(wav: Buffer, text?: string): Promise<Stretch>

  mute(): void {
    this.voice.off()
    this.#publish()
  }

  unmute(): void {
    this.voice.on()
    this.#publish()
  }

  async startCamera(colour: string): Promise<void> {
    this.#colour = colour
    const picture = await pictureOf(colour, SIZES.camera)
    // The camera may have been turned off or changed during the encoding.
    if (this.#colour === colour && this.#isHere) this.show('camera', picture)
  }

  stopCamera(): void {
    this.#colour = null
    if (this.#isHere) this.hide('camera')
  }

  async share(colour: string): Promise<void> {
    const picture = await pictureOf(colour, SIZES.screen)
    if (this.#isHere) this.show('screen', picture)
  }

  stopSharing(): void {
    if (this.#isHere) this.hide('screen')
  }

  rename(name: string): void {
    this.#name = name
    this.#publish()
  }

  leave(): void {
    if (!this.#isHere) return
    this.voice.off()
    this.#isHere = false
    this.onLeave()
  }

  /** Rewrites the entry of the roster. */
  protected abstract publish(): void
  protected abstract show(kind: PictureKind, picture: Picture): void
  protected abstract hide(kind: PictureKind): void
  protected abstract onLeave(): void

  #publish(): void {
    if (this.#isHere) this.publish()
  }
}

/** Encoded before the person joins, so that the camera is on from the start. */
export async function prepareCamera({ colour }: Person): Promise<void> {
  if (colour !== undefined) await pictureOf(colour, SIZES.camera)
}
