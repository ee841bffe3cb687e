// The media of a simulated Zoom meeting: a stream for each microphone, camera and screen, and chat and captions.
//
//   const call = new ZoomCall({ onRoster, onStreams, onSpeakers, onChat, onCaption })
//   const ann = await call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440, host: true })
//   const answer = await call.receive(visitorId, sdpOfThePage, streamIds)
//
// A page gets new streams in batches, each over its own peer connection. Its devices have another one. Pages do not receive each
// other's media. A page with mixed audio gets one stream instead of those of the microphones. Without WebRTC the same packets are sent over a socket.
import { randomUUID } from 'node:crypto'
import { everyTick } from '../../webrtc/clock.ts'
import { PACKET_MS, PACKETS_PER_FRAME } from '../../webrtc/encode.ts'
import { ActiveSpeakers } from './active-speakers.ts'
import { Connection } from './connection.ts'
import { Mix } from './mix.ts'
import { type Stage, ZoomPerson } from './person.ts'
import { Roster, type RosterChange } from './roster.ts'
import { ID_STEP, noteOf, type Stream, type StreamNote } from './streams.ts'
import type { Call, Caption, ChatMessage, Person, ReceivedAudio, ReceivedVideo, ScriptedPerson, Utterance } from './types.ts'
import { type MediaSocket, Visitor } from './visitor.ts'

const FIRST_USER = 16_778_240
/** More than a meeting has users. */
const USERS_OF_A_ROOM = 1_000

export type StreamChange = { readonly add?: readonly StreamNote[]; readonly remove?: readonly string[] }
type CaptionLine = { readonly msgId: string; readonly text: string; readonly done: boolean; readonly userId: number }

export type CallEvents = {
  readonly onRoster: (change: RosterChange) => void
  readonly onStreams: (change: StreamChange) => void
  readonly onSpeakers: (speakers: readonly number[]) => void
  readonly onChat: (message: ChatMessage) => void
  readonly onCaption: (line: CaptionLine) => void
  readonly onLeft: (name: string) => void
}

export class ZoomCall implements Call, Stage {
  readonly roster: Roster
  readonly utterances: Utterance[] = []
  readonly #events: CallEvents
  readonly #people = new Map<number, ZoomPerson>()
  readonly #streams = new Map<string, Stream>()
  readonly #visitors = new Map<number, Visitor>()
  readonly #messages: ChatMessage[] = []
  readonly #speakers: ActiveSpeakers
  readonly #mix = new Mix()
  readonly #stopClock: () => void
  #users = 0
  #captions = 0

  /** Users of different rooms have different ids. */
  constructor(events: CallEvents, room = 0) {
    this.#events = events
    this.#users = room * USERS_OF_A_ROOM
    this.roster = new Roster(events.onRoster)
    this.#speakers = new ActiveSpeakers(events.onSpeakers)
    this.#stopClock = everyTick(PACKET_MS, (tick, nowMs) => this.#tick(tick, nowMs))
  }

  async join(person: Person): Promise<ScriptedPerson> {
    const participant = await ZoomPerson.enter(this, person)
    this.#people.set(participant.userId, participant)
    return participant
  }

  left(userId: number): void {
    const name = this.#people.get(userId)?.name
    this.#people.delete(userId)
    if (name !== undefined) this.#events.onLeft(name)
  }

  newUserId(): number {
    return FIRST_USER + ID_STEP * this.#users++
  }

  people = (): readonly ZoomPerson[] => [...this.#people.values()]
  streams = (): readonly StreamNote[] => [this.#mix.stream, ...this.#streams.values()].map(noteOf)

  openStream(stream: Stream): void {
    this.#streams.set(stream.id, stream)
    this.#events.onStreams({ add: [noteOf(stream)] })
  }

  closeStream(stream: Stream): void {
    stream.sound = null
    stream.picture = null
    if (this.#streams.delete(stream.id)) this.#events.onStreams({ remove: [stream.id] })
  }

  /** Answers an offer for these streams. Throws if one of them is closed. */
  async receive(userId: number, sdp: string, streamIds: readonly string[]): Promise<string> {
    const batch = streamIds.flatMap((id) => (id === this.#mix.stream.id ? this.#mix.open() : (this.#streams.get(id) ?? [])))
    if (batch.length !== streamIds.length) throw new Error('A stream of this offer is gone')
    const { connection, sdp: answer } = await Connection.toPage(sdp, batch)
    this.visitor(userId).connect(connection)
    return answer
  }

  /** Answers an offer of the page's microphone and camera. */
  async send(userId: number, sdp: string): Promise<string> {
    const visitor = this.visitor(userId)
    const { connection, sdp: answer } = await Connection.ofPage(sdp, visitor.receivedAudio, visitor.receivedVideo)
    visitor.connect(connection)
    return answer
  }

  openSocket(userId: number, socket: MediaSocket): void {
    this.visitor(userId).openSocket(socket)
  }

  visitorEntered(userId: number): void {
    this.#visitors.set(userId, this.#visitors.get(userId) ?? new Visitor(userId))
  }

  disconnect(userId: number): void {
    const visitor = this.#visitors.get(userId)
    visitor?.disconnect().catch(() => undefined) // It is closed either way.
  }

  visitorLeft(userId: number): void {
    this.disconnect(userId)
    this.roster.leave(userId)
  }

  write(senderId: number, text: string, receiverId = 0): void {
    const message = { msgId: randomUUID(), senderId, senderName: this.roster.nameOf(senderId), receiverId, text, atMs: Date.now() }
    this.#messages.push(message)
    this.#events.onChat(message)
  }

  caption(userId: number, { text, final = true, captionId = `caption-${++this.#captions}` }: Caption): void {
    this.#events.onCaption({ msgId: captionId, text, done: final, userId })
  }

  captionSpeech({ userId, text = '', fromMs }: Utterance, part: 'half' | 'whole'): void {
    const words = text.split(' ')
    const spoken = part === 'whole' ? words : words.slice(0, Math.ceil(words.length / 2))
    this.caption(userId, { text: spoken.join(' '), final: part === 'whole', captionId: `speech-${userId}-${fromMs}` })
  }

  chat = (): readonly ChatMessage[] => this.#messages
  receivedAudio = (userId?: number): ReceivedAudio => this.visitor(userId).receivedAudio
  receivedVideo = (userId?: number): ReceivedVideo => this.visitor(userId).receivedVideo
  truth = (): readonly Utterance[] => structuredClone(this.utterances)

  visitor(userId?: number): Visitor {
    const visitor = userId === undefined ? [...this.#visitors.values()].at(-1) : this.#visitors.get(userId)
    if (!visitor) throw new Error(`No visitor ${userId ?? ''} has joined`)
    return visitor
  }

  async close(): Promise<void> {
    this.#stopClock()
    for (const person of [...this.#people.values()]) person.leave()
    await this.#mix.close()
    await Promise.allSettled([...this.#visitors.values()].map((visitor) => visitor.disconnect()))
  }

  #tick(tick: number, nowMs: number): void {
    for (const { userId, voice, audio } of this.#people.values()) {
      audio.sound = voice.next(nowMs)
      if (audio.sound) this.#speakers.onPacket(userId, audio.sound.level, nowMs)
    }
    this.#mix.next([...this.#people.values()].flatMap(({ audio }) => audio.sound?.samples ?? []))
    this.#speakers.update(nowMs)
    const hasPictures = tick % PACKETS_PER_FRAME === 0
    for (const visitor of this.#visitors.values()) visitor.send(tick, hasPictures, this.#streams.values())
  }
}
