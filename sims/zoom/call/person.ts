// A scripted person: a microphone, a camera and a screen that do what the test says, and an entry in the roster.
import { randomUUID } from 'node:crypto'
import { pictureOf, soundOf, toneOf } from '../../webrtc/encode.ts'
import { encodedName, type Roster } from './roster.ts'
import { newStream, type Stream, type StreamKind } from './streams.ts'
import type { Caption, Person, ScriptedPerson, Stretch, Utterance } from './types.ts'
import { Voice } from './voice.ts'

/** What a person acts on. */
export type Stage = {
  readonly roster: Roster
  readonly utterances: Utterance[]
  newUserId(): number
  openStream(stream: Stream): void
  closeStream(stream: Stream): void
  write(senderId: number, text: string): void
  caption(userId: number, caption: Caption): void
  captionSpeech(utterance: Utterance, part: 'half' | 'whole'): void
  left(userId: number): void
}

const CAMERA_SIZE = { width: 320, height: 180 }
const SCREEN_SIZE = { width: 640, height: 360 }

export class Participant implements ScriptedPerson {
  readonly userId: number
  readonly voice: Voice
  readonly audio: Stream
  readonly #stage: Stage
  readonly #person: Person
  readonly #zoomId = randomUUID()
  readonly #pictures = new Map<StreamKind, Stream>()
  #name: string
  #isHost: boolean
  #isHere = true
  #colour: string | null = null

  static async enter(stage: Stage, person: Person): Promise<Participant> {
    const tone = person.voice === undefined ? null : await toneOf(person.voice)
    if (person.colour !== undefined) await pictureOf(person.colour, CAMERA_SIZE)
    const participant = new Participant(stage, person, tone)
    if (person.colour !== undefined) await participant.startCamera(person.colour)
    return participant
  }

  private constructor(stage: Stage, person: Person, tone: Awaited<ReturnType<typeof toneOf>> | null) {
    this.#stage = stage
    this.#person = person
    this.#name = person.name
    this.#isHost = person.host ?? false
    this.userId = stage.newUserId()
    this.audio = newStream(this.userId, 'audio')
    const onText = (utterance: Utterance, part: 'half' | 'whole') => stage.captionSpeech(utterance, part)
    this.voice = new Voice({ userId: this.userId, name: person.name, tone, truth: stage.utterances, onText }, !person.muted)
    this.#publish()
    stage.openStream(this.audio)
  }

  get name(): string {
    return this.#name
  }

  async say(wav: Buffer, text?: string): Promise<Stretch> {
    return this.voice.say(await soundOf(wav), text)
  }

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
    const picture = await pictureOf(colour, CAMERA_SIZE)
    // The camera may have been turned off, or to another colour, while that was encoded.
    if (this.#colour === colour) this.#show('camera', picture)
  }

  stopCamera(): void {
    this.#colour = null
    this.#hide('camera')
  }

  async share(colour: string): Promise<void> {
    this.#show('share', await pictureOf(colour, SCREEN_SIZE))
  }

  stopSharing(): void {
    this.#hide('share')
  }

  write(text: string): void {
    this.#stage.write(this.userId, text)
  }

  caption(caption: Caption): void {
    this.#stage.caption(this.userId, caption)
  }

  rename(name: string): void {
    this.#name = name
    this.#publish()
  }

  setHost(isHost: boolean): void {
    this.#isHost = isHost
    this.#publish()
  }

  leave(): void {
    if (!this.#isHere) return
    this.voice.off()
    for (const kind of [...this.#pictures.keys()]) this.#hide(kind)
    this.#isHere = false
    this.#stage.closeStream(this.audio)
    this.#stage.roster.leave(this.userId)
    this.#stage.left(this.userId)
  }

  #show(kind: StreamKind, picture: Stream['picture']): void {
    if (!this.#isHere) return
    const known = this.#pictures.get(kind)
    const stream = known ?? newStream(this.userId, kind)
    stream.picture = picture
    this.#pictures.set(kind, stream)
    this.#publish()
    if (!known) this.#stage.openStream(stream)
  }

  #hide(kind: StreamKind): void {
    const stream = this.#pictures.get(kind)
    if (!stream) return
    this.#pictures.delete(kind)
    this.#stage.closeStream(stream)
    this.#publish()
  }

  #publish(): void {
    if (!this.#isHere) return
    this.#stage.roster.put({
      ...{ id: this.userId, dn2: encodedName(this.#name), zoomID: this.#zoomId, customerKey: '' },
      ...{ bHost: this.#isHost, bCoHost: this.#person.coHost ?? false, bGuest: false, bBotUser: this.#person.bot ?? false },
      ...{ muted: !this.voice.isOn, audio: 'computer', bVideoOn: this.#pictures.has('camera'), bShareOn: this.#pictures.has('share') },
    })
  }
}
