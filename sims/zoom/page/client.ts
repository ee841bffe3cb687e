/// <reference lib="dom" />
// The page's end of a meeting, shared by both clients: the info call, the socket, the roster and the media.
import type { RosterEntry } from '../call/roster.ts'
import type { StreamNote } from '../call/streams.ts'
import {
  type CaptionBody,
  type CaptureStatus,
  type ChatBody,
  type EndBody,
  EVT,
  type FromPage,
  type FromServer,
  type HoldBody,
  INFO_PATH,
  type InfoReply,
  type InfoResult,
  type RoomBody,
  SOCKET_PATH,
} from '../site/wire.ts'
import { Devices } from './devices.ts'
import { reportPressesTo } from './make.ts'
import type { Media } from './media.ts'
import { Signalling } from './signalling.ts'
import { WasmMedia } from './wasm-media.ts'
import { WebRtcMedia } from './webrtc-media.ts'

export type Attendee = Omit<RosterEntry, 'dn2'> & { readonly name: string }

export type ClientEvents = {
  readonly onJoined: (userId: number) => void
  readonly onHold: (hold: HoldBody) => void
  readonly onEnd: (end: EndBody) => void
  readonly onRoster: (change: 'add' | 'update' | 'remove', attendee: Attendee) => void
  readonly onSpeakers: (userIds: readonly number[]) => void
  readonly onChat: (message: ChatBody) => void
  readonly onCaption: (caption: CaptionBody) => void
  readonly onPermission: (agreed: boolean) => void
  readonly onCapture: (status: CaptureStatus, userId: number) => void
  readonly onPromotion: () => void
  readonly onRoom: (room: RoomBody) => void
  /** The page has followed an invitation. */
  readonly onMoved: (room: string | null) => void
  readonly onNetwork: (state: 'lost' | 'back') => void
  readonly onPicture: (note: StreamNote, element: HTMLElement) => void
  readonly onPictureGone: (note: StreamNote) => void
}

export async function askInfo(endpoint: string, fields: Readonly<Record<string, string>>): Promise<InfoReply> {
  const response = await fetch(`https://${endpoint}${INFO_PATH}`, { method: 'POST', body: new URLSearchParams(fields) })
  return (await response.json()) as InfoReply
}

export class Client {
  readonly info: InfoResult
  readonly devices = new Devices()
  readonly attendees = new Map<number, Attendee>()
  mayRecord = false
  /** Of a webinar. */
  isAttendee: boolean
  userId = 0
  readonly #events: ClientEvents
  readonly #signalling: Signalling
  readonly #media: Media
  readonly #answers = new Map<number, (sdp: string | null) => void>()
  #offers = 0
  #hasAudio = false
  #wasLost = false
  #movesTo: { readonly name: string | null } | null = null

  constructor(info: InfoResult, events: ClientEvents) {
    this.info = info
    this.isAttendee = info.options.isAttendee
    this.#events = events
    const address = (type: string) => `${info.svcUrl}${SOCKET_PATH}${info.meetingNumber}?type=${type}&cid=${info.cid}`
    this.#media =
      info.options.media === 'wasm'
        ? new WasmMedia(address('m'), this.devices, events)
        : new WebRtcMedia(this.devices, (sdp, streams) => this.#offer(sdp, streams), events)
    this.#signalling = new Signalling(address('c'), info.options.signalling, {
      onMessage: (message) => this.#receive(message),
      onState: (state) => this.#onState(state),
    })
    reportPressesTo((control, trusted) => this.send({ cmd: 'press', press: { control, trusted } }))
    this.devices.onChange(() => this.#reportState())
  }

  send(message: FromPage): void {
    this.#signalling.send(message)
  }

  /** "Join audio": without it no media is received. */
  async joinAudio(): Promise<void> {
    this.#hasAudio = true
    await this.devices.open()
    await this.#media.join()
  }

  /** Leaves this call for the one of the invitation. */
  followRoom(name: string | null): void {
    this.#movesTo = { name }
    this.#media.suspend()
    this.send({ cmd: 'follow_room' })
  }

  /** The page joins again. */
  becomePanelist(): void {
    this.isAttendee = false
    this.#wasLost = true
    this.#events.onNetwork('lost')
    this.send({ cmd: 'accept_promotion' })
  }

  leave(): void {
    this.send({ cmd: 'leave' })
    this.close()
  }

  close(): void {
    this.#signalling.close()
    this.#media.close()
    this.devices.stop()
  }

  #offer(sdp: string, streams: readonly string[]): Promise<string | null> {
    const id = ++this.#offers
    this.send({ cmd: 'offer', id, sdp, streams })
    return new Promise((resolve) => this.#answers.set(id, resolve))
  }

  #reportState(): void {
    const state = { muted: !this.devices.isOn('microphone'), audio: this.#hasAudio, video: this.devices.isOn('camera') }
    this.send({ cmd: 'state', state })
  }

  #onState(state: 'open' | 'lost'): void {
    if (state === 'lost' && !this.#wasLost) {
      this.#wasLost = true
      this.#events.onNetwork('lost')
    }
  }

  #receive(message: FromServer): void {
    switch (message.evt) {
      case EVT.joinAnswer:
        return void this.#joined(message.body.userID)
      case EVT.hold:
        return void this.#hold(message.body)
      case EVT.end:
        this.close()
        return void this.#events.onEnd(message.body)
      case EVT.roster:
        return void this.#changeRoster(message.body)
      case EVT.speakers:
        return void this.#events.onSpeakers(Object.values(message.body))
      case EVT.chat:
        return void this.#events.onChat(message.body)
      case EVT.captions:
        return void this.#events.onCaption(message.body)
      default:
        return void this.#receiveMedia(message)
    }
  }

  #receiveMedia(message: FromServer): void {
    switch (message.evt) {
      case EVT.room:
        return void this.#events.onRoom(message.body)
      case EVT.promotion:
        return void this.#events.onPromotion()
      case EVT.recordingAnswer:
        this.mayRecord = message.body.agreed
        return void this.#events.onPermission(message.body.agreed)
      case EVT.recordingStatus:
        return void this.#events.onCapture(message.body.status, message.body.userId)
      case EVT.streams:
        this.#media.add(message.body.add ?? [])
        return void this.#media.remove(message.body.remove ?? [])
      case EVT.answer:
        this.#answers.get(message.body.id)?.(message.body.sdp)
        return void this.#answers.delete(message.body.id)
    }
  }

  #joined(userId: number): void {
    this.userId = userId
    if (this.#movesTo) return void this.#moved(this.#movesTo.name)
    if (!this.#wasLost) return void this.#events.onJoined(userId)
    this.#wasLost = false
    this.attendees.clear()
    this.#media.restart()
    this.#reportState()
    this.#events.onNetwork('back')
  }

  #moved(room: string | null): void {
    this.#movesTo = null
    this.attendees.clear()
    this.#reportState()
    this.#events.onMoved(room)
  }

  #hold(hold: HoldBody): void {
    this.mayRecord = hold.mayRecord
    if (hold.standing !== 'inside') {
      this.attendees.clear()
      this.#media.suspend()
    }
    this.#events.onHold(hold)
  }

  #changeRoster({ add = [], update = [], remove = {} }: Extract<FromServer, { readonly evt: typeof EVT.roster }>['body']): void {
    for (const entry of add) this.#put('add', entry)
    for (const entry of update) this.#put('update', entry)
    for (const id of Object.keys(remove)) {
      const attendee = this.attendees.get(Number(id))
      this.attendees.delete(Number(id))
      if (attendee) this.#events.onRoster('remove', attendee)
    }
  }

  #put(change: 'add' | 'update', { dn2, ...entry }: RosterEntry): void {
    const name = new TextDecoder().decode(Uint8Array.from(atob(dn2), (letter) => letter.charCodeAt(0)))
    this.attendees.set(entry.id, { ...entry, name })
    this.#events.onRoster(change, { ...entry, name })
  }
}
