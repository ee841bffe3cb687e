// The media of a simulated Teams meeting: one mixed track with CSRCs, video by source id, and a data channel.
//
//   const call = new TeamsCall({ contributors: 'none' }, { onRoster, onChat })
//   const ann = await call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440 })
//   const answer = await call.offer(sdpOfThePage, { id, name })
//
// The page offers once, in the order of `sectionsOf`: its microphone and the mixed audio in one section, then its camera, then the
// sections that it receives. It creates `main-channel` itself and subscribes to video sources there. Visitors do not receive each other.
import { randomUUID } from 'node:crypto'
import { everyTick } from '../../webrtc/clock.ts'
import { PACKET_MS, PACKETS_PER_FRAME, type Picture } from '../../webrtc/encode.ts'
import { OpusEncoder } from '../../webrtc/mixer.ts'
import { levelOf, mixed } from '../../webrtc/pcm.ts'
import { Connection } from './connection.ts'
import { DominantSpeakers } from './dominant-speakers.ts'
import { dominantSpeakers, recognitionResult, sourceRequestsIn } from './main-channel.ts'
import { type Stage, TeamsPerson } from './person.ts'
import { Roster, type RosterEntry, type RosterUpdate } from './roster.ts'
import { type Section, sectionsOf } from './sections.ts'
import type { Call, CallOptions, Caption, ChatMessage, Person, ReceivedAudio, ReceivedVideo, ScriptedPerson, Utterance } from './types.ts'
import { Visitor } from './visitor.ts'

const VIDEO_SLOTS = 4
const CONTRIBUTOR_HANG_MS = 200
/** Louder than this many dB below full scale is speech. */
const SPEECH_LEVEL = 55
const FIRST_SOURCE = 1_053

export type CallEvents = {
  readonly onRoster: (update: RosterUpdate) => void
  readonly onChat: (message: ChatMessage) => void
}

type Offerer = { readonly id: string; readonly entry: RosterEntry; readonly onOpen: () => void }
type Outgoing = { readonly tick: number; readonly contributors: readonly number[] }

export class TeamsCall implements Call, Stage {
  readonly roster: Roster
  readonly utterances: Utterance[] = []
  readonly pictures = new Map<number, Picture>()
  readonly sections: readonly Section[]
  readonly #options: CallOptions
  readonly #onChat: CallEvents['onChat']
  readonly #people = new Map<string, TeamsPerson>()
  readonly #visitors = new Map<string, Visitor>()
  readonly #messages: ChatMessage[] = []
  readonly #spokeAtMs = new Map<number, number>()
  readonly #encoding: Outgoing[] = []
  readonly #encoded: Buffer[] = []
  readonly #dominant: DominantSpeakers
  readonly #stopClock: () => void
  #encoder: OpusEncoder | null = null
  #sources = 0
  #captions = 0

  constructor(options: CallOptions, { onRoster, onChat }: CallEvents) {
    const { videoSlots = VIDEO_SLOTS, redundantAudio = false, dominantSpeakers: mode = 'live' } = options
    this.#options = options
    this.#onChat = onChat
    this.roster = new Roster(onRoster)
    this.sections = sectionsOf({ videoSlots, redundantAudio })
    this.#dominant = new DominantSpeakers(mode, (history) => this.#broadcast(dominantSpeakers(history)))
    this.#stopClock = everyTick(PACKET_MS, (tick, nowMs) => this.#tick(tick, nowMs))
  }

  async join(person: Person): Promise<ScriptedPerson> {
    const participant = await TeamsPerson.enter(this, person)
    this.#people.set(participant.id, participant)
    return participant
  }

  left(id: string): void {
    this.#people.delete(id)
  }

  newSource(): number {
    return FIRST_SOURCE + 13 * this.#sources++
  }

  async offer(sdp: string, { id, entry, onOpen }: Offerer): Promise<string> {
    const visitor = this.#visitors.get(id) ?? new Visitor(id)
    await visitor.disconnect()
    const { connection, sdp: answer } = await Connection.answer(sdp, {
      sections: this.sections,
      receivedAudio: visitor.receivedAudio,
      receivedVideo: visitor.receivedVideo,
      onOpen: () => {
        this.#greet(visitor)
        onOpen()
      },
      onMessage: (message) => {
        for (const request of sourceRequestsIn(message)) visitor.subscribe(request)
      },
      onKeyFrameWanted: (streamId) => visitor.refresh(streamId),
    })
    visitor.connection = connection
    this.#encoder ??= this.#startEncoder()
    // Inserted again, so that the latest visitor is last.
    this.#visitors.delete(id)
    this.#visitors.set(id, visitor)
    this.roster.put(id, entry)
    return answer
  }

  /** Drops the connection without a message, as a failing network does. A new offer with the same id reconnects. */
  disconnect(id: string): void {
    const visitor = this.#visitors.get(id)
    visitor?.disconnect().catch(() => undefined) // It is closed either way.
    if ([...this.#visitors.values()].every(({ connection }) => connection === null)) void this.#stopEncoder()
  }

  visitorLeft(id: string): void {
    this.disconnect(id)
    this.roster.leave(id)
  }

  setCaptions(id: string, language: string | null): void {
    const visitor = this.#visitors.get(id)
    if (visitor) visitor.captions = language
  }

  write(id: string, name: string, html: string, clientMessageId: string = randomUUID()): void {
    const message = {
      clientMessageId,
      from: id,
      imDisplayName: name,
      content: html,
      originalArrivalTime: new Date().toISOString(),
      messageType: 'RichText/Html',
    }
    this.#messages.push(message)
    this.#onChat(message)
  }

  notify(messageType: string, content: string): void {
    const [clientMessageId, originalArrivalTime] = [randomUUID(), new Date().toISOString()]
    this.#onChat({ clientMessageId, from: '19:meeting', imDisplayName: '', content, originalArrivalTime, messageType })
  }

  caption(id: string, { text, final = true, captionId = `caption-${++this.#captions}`, speakerId = id, spoken }: Caption): void {
    const nowMs = Date.now()
    const result = { text, final, captionId, speakerId, spoken: spoken ?? { fromMs: nowMs, toMs: nowMs } }
    for (const { captions: language, connection } of this.#visitors.values())
      if (language !== null) connection?.sendMessage(recognitionResult({ ...result, language }))
  }

  captionSpeech({ id, text = '', fromMs, toMs }: Utterance, part: 'half' | 'whole'): void {
    if (this.#options.autoCaptions === false) return
    const words = text.split(' ')
    const spoken = part === 'whole' ? words : words.slice(0, Math.ceil(words.length / 2))
    this.caption(id, { text: spoken.join(' '), final: part === 'whole', captionId: `speech-${id}-${fromMs}`, spoken: { fromMs, toMs } })
  }

  chat = (): readonly ChatMessage[] => this.#messages
  receivedAudio = (id?: string): ReceivedAudio => this.#visitor(id).receivedAudio
  receivedVideo = (id?: string): ReceivedVideo => this.#visitor(id).receivedVideo
  subscriptions = (id?: string): ReadonlyMap<number, number> => this.#visitor(id).subscriptions()
  truth = (): readonly Utterance[] => structuredClone(this.utterances)

  async close(): Promise<void> {
    this.#stopClock()
    for (const person of [...this.#people.values()]) person.leave()
    await Promise.allSettled([...this.#visitors.values()].map((visitor) => visitor.disconnect()))
    await this.#stopEncoder()
  }

  #tick(tick: number, nowMs: number): void {
    const frames: Int16Array[] = []
    for (const { voice, audioSource } of this.#people.values()) {
      const frame = voice.next(nowMs)
      if (!frame) continue
      frames.push(frame)
      if (levelOf(frame) < SPEECH_LEVEL) this.#spokeAtMs.set(audioSource, nowMs)
    }
    const speaking = this.#speaking(nowMs)
    this.#dominant.update(speaking)
    if (this.#encoder) {
      this.#encoding.push({ tick, contributors: this.#options.contributors === 'none' ? [] : speaking })
      this.#encoder.write(mixed(frames))
      this.#sendAudio()
    }
    if (tick % PACKETS_PER_FRAME === 0)
      for (const visitor of this.#visitors.values()) visitor.sendPictures(tick, (source) => this.pictures.get(source))
  }

  #speaking(nowMs: number): readonly number[] {
    const { contributorHangMs = CONTRIBUTOR_HANG_MS } = this.#options
    return [...this.#spokeAtMs].filter(([, atMs]) => nowMs - atMs <= contributorHangMs).map(([source]) => source)
  }

  #startEncoder(): OpusEncoder {
    const encoder: OpusEncoder = new OpusEncoder((opus) => {
      if (this.#encoder !== encoder) return
      this.#encoded.push(opus)
      this.#sendAudio()
    })
    return encoder
  }

  async #stopEncoder(): Promise<void> {
    const encoder = this.#encoder
    this.#encoder = null
    this.#encoding.length = 0
    this.#encoded.length = 0
    await encoder?.close()
  }

  /** The encoder keeps the order: one packet per frame. Each reaches 7 ms into the next frame. */
  #sendAudio(): void {
    for (let [frame, next] = this.#encoding; frame && next && this.#encoded.length > 0; [frame, next] = this.#encoding) {
      const opus = this.#encoded.shift()
      this.#encoding.shift()
      const contributors = [...new Set([...frame.contributors, ...next.contributors])]
      for (const { connection } of this.#visitors.values()) if (opus) connection?.sendAudio(frame.tick, opus, contributors)
    }
  }

  #greet(visitor: Visitor): void {
    const history = this.#dominant.greeting()
    if (history.length > 0) visitor.connection?.sendMessage(dominantSpeakers(history))
  }

  #broadcast(message: Buffer): void {
    for (const { connection } of this.#visitors.values()) connection?.sendMessage(message)
  }

  #visitor(id: string | undefined): Visitor {
    const visitor = id === undefined ? [...this.#visitors.values()].at(-1) : this.#visitors.get(id)
    if (!visitor) throw new Error(`No visitor ${id ?? ''} has joined`)
    return visitor
  }
}
