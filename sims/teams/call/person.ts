// A scripted person of a Teams call: media by source ids, and an entry in the roster.
import { randomUUID } from 'node:crypto'
import type { Picture } from '../../webrtc/encode.ts'
import { framesOfTone, framesOfWav } from '../../webrtc/pcm.ts'
import { Participant, type PictureKind, prepareCamera } from '../../webrtc/person.ts'
import { Voice } from '../../webrtc/voice.ts'
import type { MediaStream, Roster } from './roster.ts'
import type { Caption, MeetingRole, ParticipantKind, Person, ScriptedPerson, Speaker, Stretch, Utterance } from './types.ts'

/** The parts of the call that a person changes. */
export type Stage = {
  readonly roster: Roster
  readonly utterances: Utterance[]
  /** The current picture of each video source. */
  readonly pictures: Map<number, Picture>
  newSource(): number
  write(id: string, name: string, html: string): void
  caption(id: string, caption: Caption): void
  captionSpeech(utterance: Utterance, part: 'half' | 'whole'): void
  left(id: string): void
}

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

export class TeamsPerson extends Participant<Int16Array, Speaker> implements ScriptedPerson {
  readonly id: string
  readonly voice: Voice<Int16Array, Speaker>
  readonly audioSource: number
  readonly videoSource: number
  readonly screenSource: number
  readonly #stage: Stage
  readonly #role: MeetingRole
  readonly #endpointId = randomUUID()

  static async enter(stage: Stage, person: Person): Promise<TeamsPerson> {
    await prepareCamera(person)
    const participant = new TeamsPerson(stage, person)
    if (person.colour !== undefined) await participant.startCamera(person.colour)
    return participant
  }

  private constructor(stage: Stage, person: Person) {
    super(person)
    const { name, id, kind = 'work', role = 'attendee', voice, muted = false } = person
    this.#stage = stage
    this.#role = role
    this.id = id ?? newUserId(kind)
    this.audioSource = stage.newSource()
    this.videoSource = stage.newSource()
    this.screenSource = stage.newSource()
    const tone = voice === undefined ? null : framesOfTone(voice)
    const onText = (utterance: Utterance, part: 'half' | 'whole') => stage.captionSpeech(utterance, part)
    this.voice = new Voice({ speaker: { id: this.id, name }, tone, silence: null, truth: stage.utterances, onText }, !muted)
    this.publish()
  }

  async say(wav: Buffer, text?: string): Promise<Stretch> {
    return this.voice.say(await framesOfWav(wav), text)
  }

  write(html: string): void {
    this.#stage.write(this.id, this.name, html)
  }

  caption(caption: Caption): void {
    this.#stage.caption(this.id, caption)
  }

  protected onLeave(): void {
    for (const source of [this.videoSource, this.screenSource]) this.#stage.pictures.delete(source)
    this.#stage.roster.leave(this.id)
    this.#stage.left(this.id)
  }

  protected show(kind: PictureKind, picture: Picture): void {
    this.#stage.pictures.set(this.#sourceOf(kind), picture)
    this.publish()
  }

  protected hide(kind: PictureKind): void {
    this.#stage.pictures.delete(this.#sourceOf(kind))
    this.publish()
  }

  protected publish(): void {
    const { pictures } = this.#stage
    const mediaStreams: MediaStream[] = [
      { type: 'audio', sourceId: this.audioSource, direction: 'sendrecv', serverMuted: !this.voice.isOn },
      { type: 'video', sourceId: this.videoSource, direction: pictures.has(this.videoSource) ? 'sendrecv' : 'recvonly' },
    ]
    if (pictures.has(this.screenSource))
      mediaStreams.push({ type: 'applicationsharing-video', sourceId: this.screenSource, direction: 'sendonly' })
    this.#stage.roster.put(this.id, {
      details: { id: this.id, displayName: this.name },
      state: 'active',
      meetingRole: this.#role,
      endpoints: { [this.#endpointId]: { call: { mediaStreams } } },
    })
  }

  #sourceOf(kind: PictureKind): number {
    return kind === 'camera' ? this.videoSource : this.screenSource
  }
}
