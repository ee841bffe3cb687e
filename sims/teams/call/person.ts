// A scripted person: a microphone, a camera and a screen that do what the test says, and an entry in the roster.
import { randomUUID } from 'node:crypto'
import { type Picture, pictureOf } from '../../webrtc/encode.ts'
import { framesOfTone, framesOfWav } from './pcm.ts'
import type { MediaStream, Roster } from './roster.ts'
import type { Caption, MeetingRole, ParticipantKind, Person, ScriptedPerson, Stretch, Utterance } from './types.ts'
import { Voice } from './voice.ts'

/** What a person acts on. */
export type Stage = {
  readonly roster: Roster
  readonly utterances: Utterance[]
  /** What each video source shows just now. */
  readonly pictures: Map<number, Picture>
  newSource(): number
  write(id: string, name: string, html: string): void
  caption(id: string, caption: Caption): void
  captionSpeech(utterance: Utterance, part: 'half' | 'whole'): void
  left(id: string): void
}

const CAMERA_SIZE = { width: 320, height: 180 }
const SCREEN_SIZE = { width: 640, height: 360 }
const ID_PREFIXES: Readonly<Record<ParticipantKind, string>> = {
  work: '8:orgid:',
  personal: '8:live:',
  guest: '8:guest:',
  visitor: '8:teamsvisitor:',
  phone: '4:',
  bot: '28:',
}

export function newUserId(kind: ParticipantKind): string {
  return `${ID_PREFIXES[kind]}${randomUUID()}`
}

export class Participant implements ScriptedPerson {
  readonly id: string
  readonly voice: Voice
  readonly audioSource: number
  readonly videoSource: number
  readonly #stage: Stage
  readonly #role: MeetingRole
  readonly #endpointId = randomUUID()
  readonly #screenSource: number
  #name: string
  #isHere = true
  #colour: string | null = null
  #isSharing = false

  static async enter(stage: Stage, person: Person): Promise<Participant> {
    if (person.colour !== undefined) await pictureOf(person.colour, CAMERA_SIZE)
    const participant = new Participant(stage, person)
    if (person.colour !== undefined) await participant.startCamera(person.colour)
    return participant
  }

  private constructor(stage: Stage, { name, id, kind = 'work', role = 'attendee', voice, muted = false }: Person) {
    this.#stage = stage
    this.#name = name
    this.#role = role
    this.id = id ?? newUserId(kind)
    this.audioSource = stage.newSource()
    this.videoSource = stage.newSource()
    this.#screenSource = stage.newSource()
    const tone = voice === undefined ? null : framesOfTone(voice)
    const onText = (utterance: Utterance, part: 'half' | 'whole') => stage.captionSpeech(utterance, part)
    this.voice = new Voice({ id: this.id, name, tone, truth: stage.utterances, onText }, !muted)
    this.#publish()
  }

  get name(): string {
    return this.#name
  }

  async say(wav: Buffer, text?: string): Promise<Stretch> {
    return this.voice.say(await framesOfWav(wav), text)
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
    if (this.#colour !== colour || !this.#isHere) return
    this.#stage.pictures.set(this.videoSource, picture)
    this.#publish()
  }

  stopCamera(): void {
    this.#colour = null
    this.#stage.pictures.delete(this.videoSource)
    this.#publish()
  }

  async share(colour: string): Promise<number> {
    const picture = await pictureOf(colour, SCREEN_SIZE)
    if (!this.#isHere) return this.#screenSource
    this.#isSharing = true
    this.#stage.pictures.set(this.#screenSource, picture)
    this.#publish()
    return this.#screenSource
  }

  stopSharing(): void {
    this.#isSharing = false
    this.#stage.pictures.delete(this.#screenSource)
    this.#publish()
  }

  write(html: string): void {
    this.#stage.write(this.id, this.#name, html)
  }

  caption(caption: Caption): void {
    this.#stage.caption(this.id, caption)
  }

  rename(name: string): void {
    this.#name = name
    this.#publish()
  }

  leave(): void {
    if (!this.#isHere) return
    this.#isHere = false
    this.voice.off()
    for (const source of [this.videoSource, this.#screenSource]) this.#stage.pictures.delete(source)
    this.#stage.roster.leave(this.id)
    this.#stage.left(this.id)
  }

  #publish(): void {
    if (!this.#isHere) return
    const mediaStreams: MediaStream[] = [
      { type: 'audio', sourceId: this.audioSource, direction: 'sendrecv', serverMuted: !this.voice.isOn },
      { type: 'video', sourceId: this.videoSource, direction: this.#stage.pictures.has(this.videoSource) ? 'sendrecv' : 'recvonly' },
    ]
    if (this.#isSharing) mediaStreams.push({ type: 'applicationsharing-video', sourceId: this.#screenSource, direction: 'sendonly' })
    this.#stage.roster.put(this.id, {
      details: { id: this.id, displayName: this.#name },
      state: 'active',
      meetingRole: this.#role,
      endpoints: { [this.#endpointId]: { call: { mediaStreams } } },
    })
  }
}
