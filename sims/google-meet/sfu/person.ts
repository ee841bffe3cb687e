// A scripted person: a microphone, a camera, a screen and an entry in the roster.
import { pictureOf, type SoundPacket, soundOf, toneOf } from '../../webrtc/encode.ts'
import type { PictureSize, Stretch } from '../../webrtc/types.ts'
import { type Lanes, SPEECH_LEVEL } from './lanes.ts'
import type { Roster } from './roster.ts'
import type { Slots } from './slots.ts'
import type { Caption, Person, ScriptedPerson, SpaceOptions, Utterance } from './types.ts'
import { Voice, type VoicePacket } from './voice.ts'

/** The parts of the call that a person changes. */
export type Stage = {
  readonly roster: Roster
  readonly lanes: Lanes
  readonly cameras: Slots
  readonly screens: Slots
  /** The ground truth, to which the person appends. */
  readonly utterances: Utterance[]
  readonly options: Pick<SpaceOptions, 'dtx' | 'outputsName'>
  newDeviceId(): string
  newSource(): number
  /** The one source of a room. */
  sourceOfRoom(room: string): number
  write(deviceId: string, text: string): void
  /** For a person without a device output, or in a room: shows the source and the room to the page. */
  assign(deviceId: string, source: number, room?: string): void
  caption(deviceId: string, caption: Caption): void
}

const CAMERA_SIZE: PictureSize = { width: 320, height: 180 }
const SCREEN_SIZE: PictureSize = { width: 640, height: 360 }
/** A speaker is shown after a silence of at least this length. */
const SILENCE_MS = 600

export class Participant implements ScriptedPerson {
  readonly name: string
  readonly deviceId: string
  readonly voice: Voice
  readonly #stage: Stage
  readonly #person: Person
  #source: number
  #isHere = true
  #camera: { readonly colour: string; readonly size: PictureSize } | null = null
  #size = CAMERA_SIZE
  #screen: string | null = null
  #spokeAtMs = Number.NEGATIVE_INFINITY

  static async enter(stage: Stage, person: Person): Promise<Participant> {
    const tone = await steadyVoice(person.voice)
    if (person.colour !== undefined) await pictureOf(person.colour, CAMERA_SIZE)
    const deviceId = stage.newDeviceId()
    const voice = new Voice({ deviceId, name: person.name, dtx: stage.options.dtx ?? false, tone }, stage.utterances, !person.muted)
    const participant = new Participant(stage, person, deviceId, voice)
    if (person.colour !== undefined) await participant.startCamera(person.colour)
    return participant
  }

  private constructor(stage: Stage, person: Person, deviceId: string, voice: Voice) {
    this.#stage = stage
    this.#person = person
    this.name = person.name
    this.deviceId = deviceId
    this.voice = voice
    this.#source = person.room === undefined ? stage.newSource() : stage.sourceOfRoom(person.room)
    this.#enlist(deviceId, undefined)
    this.#announceAudio(person.muted ?? false)
  }

  source(): number {
    return this.#source
  }

  async say(wav: Buffer, text?: string): Promise<Stretch> {
    return this.voice.say(await soundOf(wav), text, Date.now())
  }

  mute(): void {
    this.voice.off(Date.now())
    this.#announceAudio(true)
  }

  unmute({ newSource }: { readonly newSource?: true | number } = {}): void {
    if (newSource !== undefined) this.#source = newSource === true ? this.#stage.newSource() : newSource
    this.voice.on()
    this.#announceAudio(false)
  }

  async startCamera(colour: string): Promise<void> {
    this.#camera = { colour, size: this.#size }
    await this.#film()
  }

  stopCamera(): void {
    this.#camera = null
    this.#stage.cameras.hide(this.deviceId)
  }

  async resize(size: PictureSize): Promise<void> {
    this.#size = size
    if (!this.#camera) return
    this.#camera = { colour: this.#camera.colour, size }
    await this.#film()
  }

  async share(colour: string): Promise<string> {
    const picture = await pictureOf(colour, SCREEN_SIZE)
    this.stopSharing()
    const screen = this.#stage.newDeviceId()
    if (!this.#isHere) return screen
    this.#screen = screen
    this.#enlist(screen, this.deviceId)
    this.#stage.screens.show(screen, picture)
    this.#stage.screens.want(screen)
    return screen
  }

  stopSharing(): void {
    if (this.#screen === null) return
    this.#stage.screens.hide(this.#screen)
    this.#stage.roster.leave(this.#screen, 6, Date.now())
    this.#screen = null
  }

  write(text: string): void {
    this.#stage.write(this.deviceId, text)
  }

  caption(caption: Caption): void {
    this.#stage.caption(this.deviceId, caption)
  }

  leave(): void {
    this.go(6)
  }

  /** The person leaves, or is removed. */
  go(status: 6 | 7): void {
    if (!this.#isHere) return
    this.#isHere = false
    this.voice.off(Date.now())
    this.stopSharing()
    this.stopCamera()
    this.#stage.lanes.forget(this.deviceId)
    this.#stage.roster.leave(this.deviceId, status, Date.now())
  }

  /** A packet of this person is in a lane. */
  onPacketInLane(lane: number, { level }: VoicePacket, nowMs: number): void {
    this.voice.setLane(lane, nowMs)
    if (level >= SPEECH_LEVEL) return
    if (nowMs - this.#spokeAtMs > SILENCE_MS) this.#stage.cameras.want(this.deviceId)
    this.#spokeAtMs = nowMs
  }

  async #film(): Promise<void> {
    const camera = this.#camera
    if (!camera) return
    const picture = await pictureOf(camera.colour, camera.size)
    // It may have been turned off or changed during the encoding.
    if (this.#camera === camera) this.#stage.cameras.show(this.deviceId, picture)
  }

  #enlist(deviceId: string, parentDeviceId: string | undefined): void {
    const { name, displayName = name, picture, host = false } = this.#person
    this.#stage.roster.put({ deviceId, name, displayName, picture, host, status: 1, parentDeviceId })
  }

  #announceAudio(disabled: boolean): void {
    if (!this.#isHere) return
    const { deviceId, name } = this
    const { unlisted, room } = this.#person
    // The page shows the owner also where the device outputs do not name it.
    if (unlisted || room !== undefined || this.#stage.options.outputsName === 'one') this.#stage.assign(deviceId, this.#source, room)
    if (!unlisted) this.#stage.roster.output({ deviceId, name, kind: 'audio', streamId: String(this.#source), disabled })
  }
}

function steadyVoice(voice: number | Buffer | undefined): Promise<readonly SoundPacket[]> | null {
  if (voice === undefined) return null
  return typeof voice === 'number' ? toneOf(voice) : soundOf(voice)
}
