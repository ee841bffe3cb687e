// A page that asked to join: its standing, its socket, and its roster entry.
import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { encodedName, type RosterEntry } from '../call/roster.ts'
import type { StreamNote } from '../call/streams.ts'
import type { Waiting } from './control.ts'
import type { Fields } from './entry.ts'
import type { Room } from './room.ts'
import type { Media } from './scenario.ts'
import type { CaptureStatus, DeviceState, FromServer } from './wire.ts'

export type Standing = 'connecting' | 'not_started' | 'waiting' | 'inside' | 'out'

export class Attendee {
  readonly userId: number
  readonly cid = randomUUID()
  readonly zoomId = randomUUID()
  readonly fields: Fields
  /** The user on whose behalf this app has joined. */
  readonly authorizedBy: string | null
  readonly media: Media
  readonly atMs = Date.now()
  name: string
  standing: Standing = 'connecting'
  room: Room
  /** The room to which the host has invited it. */
  invitedTo: Room | null = null
  state: DeviceState = { muted: true, audio: false, video: false }
  capture: CaptureStatus = 0
  mayRecord = false
  #socket: WebSocket | null = null
  #missed: FromServer[] = []

  constructor(userId: number, fields: Fields, { authorizedBy, media, room }: Pick<Attendee, 'authorizedBy' | 'media' | 'room'>) {
    this.userId = userId
    this.fields = fields
    this.authorizedBy = authorizedBy
    this.media = media
    this.room = room
    this.name = fields.userName ?? ''
  }

  open(socket: WebSocket): void {
    this.#socket = socket
    for (const message of this.#missed.splice(0)) this.send(message)
  }

  isConnectedBy(socket: WebSocket): boolean {
    return this.#socket === socket
  }

  send(message: FromServer): void {
    if (this.#socket) this.#socket.send(JSON.stringify(message))
    else this.#missed.push(message)
  }

  /** Simulates a network failure: messages sent meanwhile are lost. */
  cut(): void {
    const socket = this.#socket
    this.#socket = null
    this.#missed = []
    socket?.terminate()
  }

  /** The streams that the page receives: either the mix, or the audio of each person. */
  received(streams: readonly StreamNote[]): readonly StreamNote[] {
    const other = this.media === 'mixed' ? 'audio' : 'mix'
    return streams.filter(({ kind }) => kind !== other)
  }

  rosterEntry(): RosterEntry {
    const { muted, audio, video } = this.state
    return {
      id: this.userId,
      dn2: encodedName(this.name),
      zoomID: this.zoomId,
      customerKey: this.fields.customerKey ?? '',
      bHost: false,
      bCoHost: false,
      bGuest: true,
      bBotUser: this.fields.signatureType === 'sdk',
      muted,
      audio: audio ? 'computer' : '',
      bVideoOn: video,
      bShareOn: false,
      ...(this.authorizedBy !== null && { botAuthorizer: this.authorizedBy }),
    }
  }
}

export function waitingOf({ userId, name, atMs }: Attendee): Waiting {
  return { userId, name, atMs }
}
