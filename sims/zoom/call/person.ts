// A scripted person of a Zoom meeting: a stream for each device, and an entry in the roster.
import { randomUUID } from 'node:crypto'
import { type Picture, SILENCE, soundOf, toneOf } from '../../webrtc/encode.ts'
import { FRAME_SAMPLES, framesOfTone, framesOfWav } from '../../webrtc/pcm.ts'
import { Participant, type PictureKind, prepareCamera } from '../../webrtc/person.ts'
import { Voice } from '../../webrtc/voice.ts'
import { encodedName, type Roster } from './roster.ts'
import { newStream, type Stream } from './streams.ts'
import type { Caption, Person, ScriptedPerson, Sound, Speaker, Stretch, Utterance } from './types.ts'

/** The parts of the call that a person changes. */
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

const STREAM_KINDS = { camera: 'camera', screen: 'share' } as const

const QUIET = new Int16Array(FRAME_SAMPLES)

function soundsOf(packets: Awaited<ReturnType<typeof soundOf>>, frames: readonly Int16Array[]): readonly Sound[] {
  return packets.map((packet, at) => ({ ...packet, samples: frames[at] ?? QUIET }))
}

export class ZoomPerson extends Participant<Sound, Speaker> implements ScriptedPerson {
  readonly userId: number
  readonly voice: Voice<Sound, Speaker>
  readonly audio: Stream
  readonly #stage: Stage
  readonly #person: Person
  readonly #zoomId = randomUUID()
  readonly #pictures = new Map<PictureKind, Stream>()
  #isHost: boolean

  static async enter(stage: Stage, person: Person): Promise<ZoomPerson> {
    const tone = person.voice === undefined ? null : soundsOf(await toneOf(person.voice), framesOfTone(person.voice))
    await prepareCamera(person)
    const participant = new ZoomPerson(stage, person, tone)
    if (person.colour !== undefined) await participant.startCamera(person.colour)
    return participant
  }

  private constructor(stage: Stage, person: Person, tone: readonly Sound[] | null) {
    super(person)
    this.#stage = stage
    this.#person = person
    this.#isHost = person.host ?? false
    this.userId = stage.newUserId()
    this.audio = newStream(this.userId, 'audio')
    const speaker = { userId: this.userId, name: person.name }
    const onText = (utterance: Utterance, part: 'half' | 'whole') => stage.captionSpeech(utterance, part)
    this.voice = new Voice({ speaker, tone, silence: { ...SILENCE, samples: QUIET }, truth: stage.utterances, onText }, !person.muted)
    this.publish()
    stage.openStream(this.audio)
  }

  async say(wav: Buffer, text?: string): Promise<Stretch> {
    return this.voice.say(soundsOf(await soundOf(wav), await framesOfWav(wav)), text)
  }

  write(text: string): void {
    this.#stage.write(this.userId, text)
  }

  caption(caption: Caption): void {
    this.#stage.caption(this.userId, caption)
  }

  setHost(isHost: boolean): void {
    this.#isHost = isHost
    this.publish()
  }

  protected onLeave(): void {
    for (const stream of [...this.#pictures.values(), this.audio]) this.#stage.closeStream(stream)
    this.#stage.roster.leave(this.userId)
    this.#stage.left(this.userId)
  }

  protected show(kind: PictureKind, picture: Picture): void {
    const known = this.#pictures.get(kind)
    const stream = known ?? newStream(this.userId, STREAM_KINDS[kind])
    stream.picture = picture
    this.#pictures.set(kind, stream)
    this.publish()
    if (!known) this.#stage.openStream(stream)
  }

  protected hide(kind: PictureKind): void {
    const stream = this.#pictures.get(kind)
    if (!stream) return
    this.#pictures.delete(kind)
    this.#stage.closeStream(stream)
    this.publish()
  }

  protected publish(): void {
    this.#stage.roster.put({
      id: this.userId,
      dn2: encodedName(this.name),
      zoomID: this.#zoomId,
      customerKey: '',
      bHost: this.#isHost,
      bCoHost: this.#person.coHost ?? false,
      bGuest: false,
      bBotUser: this.#person.bot ?? false,
      muted: !this.voice.isOn,
      audio: 'computer',
      bVideoOn: this.#pictures.has('camera'),
      bShareOn: this.#pictures.has('screen'),
    })
  }
}
