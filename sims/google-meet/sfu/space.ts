// The media part of a simulated Google Meet: a small SFU with scripted people, as a page's JavaScript sees Meet's.
//
//   const space = createMeetSpace({ red: true, switchLanesEveryMs: 1_000 })
//   const ann = await space.join({ name: 'Ann', colour: '#dc1e1e' })
//   const answer = await space.offer(sdpOfThePage, { name: 'Notetaker', deviceId: space.newDeviceId() })
//   await ann.say(await spoken('Hello', 'en-us'), 'Hello')
//
// The page sends one offer with its candidates and these sections in any order: `recvonly` audio (one per lane: 3), `recvonly` video
// (`videoSlots` + 1, the last one for a presentation), and its microphone and camera as `sendrecv` or `sendonly` (either may be missing,
// and `replaceTrack` needs no new offer). The page opens the data channels `captions` and `media-director`. The server opens
// `collections`, so the page gets a `datachannel` event. The stream id of a lane or slot is in the answer (`streams[0].id`).
// Lanes and slots are the same for every visitor. Visitors do not receive each other's media but are in the roster and the chat.
// A device whose camera is on but in no slot has a DeviceOutput without a stream id. One whose camera is off has a disabled one.
import { randomBytes, randomInt } from 'node:crypto'
import { everyTick } from '../../webrtc/clock.ts'
import { PACKET_MS, PACKETS_PER_FRAME } from '../../webrtc/encode.ts'
import type { ReceivedAudio, ReceivedVideo } from '../../webrtc/types.ts'
import { Connection } from './connection.ts'
import { Lanes } from './lanes.ts'
import { assignment, captionMessage, type News } from './messages.ts'
import { Participant, type Stage } from './person.ts'
import { Roster } from './roster.ts'
import { newStreamIds, Slots } from './slots.ts'
import { Speakers } from './speakers.ts'
import type { Caption, ChatLine, MeetSpace, Person, ScriptedPerson, SpaceOptions, Utterance, Visitor } from './types.ts'
import { VisitorSeat } from './visitor.ts'
import type { VoicePacket } from './voice.ts'

const LANES = 3
const VIDEO_SLOTS = 4
/** Above the range of signed numbers, as real ones may be. */
const FIRST_SOURCE = 3_000_000_001

export function createMeetSpace(options: SpaceOptions = {}): MeetSpace {
  return new Space(options)
}

type Spoken = { readonly packet: VoicePacket; readonly person: Participant }

class Space implements MeetSpace, Stage {
  readonly id = randomBytes(9).toString('base64url')
  readonly roster: Roster
  readonly lanes: Lanes
  readonly cameras: Slots
  readonly screens: Slots
  readonly options: SpaceOptions
  readonly #laneStreams: readonly string[]
  readonly #people = new Map<string, Participant>()
  readonly #visitors = new Map<string, VisitorSeat>()
  readonly #lines: ChatLine[] = []
  readonly utterances: Utterance[] = []
  readonly #speakers: Speakers
  readonly #assignments = new Map<string, Buffer>()
  readonly #rooms = new Map<string, number>()
  readonly #stopClock: () => void
  #devices = 0
  /** Two spaces have no source in common. */
  #sources = randomInt(100_000) * 10_000
  #captions = 0
  #packets = 0

  constructor(options: SpaceOptions) {
    const { lanes = LANES, videoSlots = VIDEO_SLOTS, switchLanesEveryMs, speakersBy = 'stream' } = options
    this.options = options
    this.roster = new Roster(options, (news, sequence) => this.#notify([news], sequence))
    this.lanes = new Lanes(lanes, switchLanesEveryMs)
    this.#laneStreams = newStreamIds(lanes)
    this.cameras = new Slots(newStreamIds(videoSlots), (deviceId) => this.#announceVideo(this.cameras, deviceId))
    this.screens = new Slots(newStreamIds(1), (deviceId) => this.#announceVideo(this.screens, deviceId))
    this.#speakers = new Speakers(speakersBy, (bytes) => this.#broadcast('dcrpc', bytes))
    this.#stopClock = everyTick(PACKET_MS, (tick, nowMs) => this.#tick(tick, nowMs))
  }

  async join(person: Person): Promise<ScriptedPerson> {
    const participant = await Participant.enter(this, person)
    this.#people.set(participant.deviceId, participant)
    return participant
  }

  newDeviceId(): string {
    return `spaces/${this.id}/devices/${++this.#devices}`
  }

  newSource(): number {
    return FIRST_SOURCE + this.#sources++
  }

  async offer(sdp: string, { name, deviceId = this.newDeviceId(), picture }: Visitor): Promise<string> {
    const seat = this.#visitors.get(deviceId) ?? new VisitorSeat(deviceId, this.options)
    await seat.disconnect()
    const { connection, sdp: answer } = await Connection.answer(sdp, {
      lanes: this.#laneStreams,
      slots: [...this.cameras.streamIds, ...this.screens.streamIds],
      red: this.options.red ?? false,
      collectionsBy: this.options.collectionsBy ?? 'server',
      receivedAudio: seat.receivedAudio,
      receivedVideo: seat.receivedVideo,
      opened: (channel) => this.#welcome(seat, channel),
      keyFrameWanted: (slot) => this.#refresh(slot),
    })
    seat.connection = connection
    seat.isIn = true
    // Inserted again, so that the latest visitor is last.
    this.#visitors.delete(deviceId)
    this.#visitors.set(deviceId, seat)
    this.roster.put({ deviceId, name, displayName: name, picture, host: false, status: 1, parentDeviceId: undefined })
    return answer
  }

  visitors(): readonly string[] {
    return this.#present().map(({ deviceId }) => deviceId)
  }

  remove(deviceId: string): void {
    this.#people.get(deviceId)?.go(7)
    this.#people.delete(deviceId)
    const seat = this.#visitors.get(deviceId)
    if (!seat) return
    this.roster.leave(deviceId, 7, Date.now())
    seat.isIn = false
  }

  visitorLeft(deviceId: string): void {
    this.disconnect(deviceId)
    const seat = this.#visitors.get(deviceId)
    if (seat) seat.isIn = false
    this.roster.leave(deviceId, 6, Date.now())
  }

  disconnect(deviceId: string): void {
    this.#visitors
      .get(deviceId)
      ?.disconnect()
      .catch(() => undefined) // The visitor has left.
  }

  syncReply(deviceId?: string): string {
    return this.roster.sync(deviceId, Date.now())
  }

  chatFromBot(text: string, deviceId?: string): void {
    this.write(this.#seat(deviceId).deviceId, text)
  }

  write(deviceId: string, text: string): void {
    const line = {
      id: `${this.id}/messages/${this.#lines.length + 1}`,
      deviceId,
      name: this.roster.nameOf(deviceId),
      text,
      atMs: Date.now(),
    }
    this.#lines.push(line)
    this.#notify([{ about: 'chat', line }], this.roster.sequence)
  }

  sourceOfRoom(room: string): number {
    const source = this.#rooms.get(room) ?? this.newSource()
    this.#rooms.set(room, source)
    return source
  }

  assign(deviceId: string, source: number, room?: string): void {
    this.#assignments.set(deviceId, assignment(deviceId, source, room))
    this.#broadcast('media-director', assignment(deviceId, source, room))
  }

  caption(deviceId: string, { text, captionId = ++this.#captions, version = 1, final = false, languageId = 1 }: Caption): void {
    const bytes = captionMessage(deviceId, { text, captionId, version, final, languageId })
    this.#broadcast('captions', bytes)
  }

  chat = (): readonly ChatLine[] => this.#lines
  receivedAudio = (deviceId?: string): ReceivedAudio => this.#seat(deviceId).receivedAudio
  receivedVideo = (deviceId?: string): ReceivedVideo => this.#seat(deviceId).receivedVideo
  truth = (): readonly Utterance[] => structuredClone(this.utterances)

  async close(): Promise<void> {
    this.#stopClock()
    for (const person of this.#people.values()) person.leave()
    await Promise.allSettled([...this.#visitors.values()].map((seat) => seat.disconnect()))
  }

  #tick(tick: number, nowMs: number): void {
    const packets = new Map<string, VoicePacket>()
    for (const [deviceId, { voice }] of this.#people) {
      const packet = voice.next(nowMs)
      if (packet) packets.set(deviceId, packet)
    }
    const levels = new Map([...packets].map(([deviceId, { level }]) => [deviceId, level]))
    for (const [lane, deviceId] of this.lanes.seat(levels, nowMs).entries()) {
      const [packet, person] = deviceId === null ? [] : [packets.get(deviceId), this.#people.get(deviceId)]
      if (packet && person) this.#send(lane, tick, nowMs, { packet, person })
    }
    this.#speakers.tick(nowMs)
    if (tick % PACKETS_PER_FRAME === 0) this.#sendVideos(tick)
  }

  #send(lane: number, tick: number, nowMs: number, { packet, person }: Spoken): void {
    person.onPacketInLane(lane, packet, nowMs)
    this.#speakers.onAudio({ deviceId: person.deviceId, source: person.source() }, packet.level, nowMs)
    const sources = this.options.sources?.(person.source(), this.#packets++) ?? [person.source()]
    for (const { connection } of this.#present()) connection?.sendAudio(lane, tick, packet, sources)
  }

  #sendVideos(tick: number): void {
    const screens = this.screens.next().map(({ slot, frame }) => ({ slot: this.cameras.streamIds.length + slot, frame }))
    for (const { slot, frame } of [...this.cameras.next(), ...screens]) {
      for (const { connection } of this.#present()) connection?.sendVideo(slot, tick, frame)
    }
  }

  #welcome(seat: VisitorSeat, channel: string): void {
    if (channel === 'media-director') for (const bytes of this.#assignments.values()) seat.connection?.send(channel, bytes)
    if (channel !== 'collections') return
    seat.notify([...this.roster.everything(), ...seat.takeMissed()], this.roster.sequence)
    for (const slot of [...this.cameras.streamIds, ...this.screens.streamIds].keys()) this.#refresh(slot)
  }

  #refresh(slot: number): void {
    const cameras = this.cameras.streamIds.length
    const [slots, at] = slot < cameras ? [this.cameras, slot] : [this.screens, slot - cameras]
    slots.refresh(at)
  }

  #notify(news: readonly News[], sequence: number): void {
    for (const seat of this.#present()) seat.notify(news, sequence)
  }

  #announceVideo(slots: Slots, deviceId: string): void {
    const streamId = slots.streamIdOf(deviceId)
    const disabled = slots.pictureOf(deviceId) === undefined
    this.roster.output({ deviceId, name: this.roster.nameOf(deviceId), kind: 'video', streamId, disabled })
  }

  #broadcast(channel: 'captions' | 'dcrpc' | 'media-director', bytes: Buffer): void {
    for (const { connection } of this.#present()) connection?.send(channel, bytes)
  }

  #present(): readonly VisitorSeat[] {
    return [...this.#visitors.values()].filter(({ isIn }) => isIn)
  }

  #seat(deviceId: string | undefined): VisitorSeat {
    const seat = deviceId === undefined ? [...this.#visitors.values()].at(-1) : this.#visitors.get(deviceId)
    if (!seat) throw new Error(deviceId === undefined ? 'No visitor has joined' : `No visitor ${deviceId} has joined`)
    return seat
  }
}
