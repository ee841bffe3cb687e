// The server's state of one meeting: attendees and their standing, recording rights, and the messages on their sockets.
import { randomBytes, randomInt } from 'node:crypto'
import type { WebSocket } from 'ws'
import type { ZoomCall } from '../call/call.ts'
import { Attendee, type Standing, waitingOf } from './attendee.ts'
import type { Asked, Meeting, Waiting } from './control.ts'
import { CODES, type Door, type Fields, joinFault } from './entry.ts'
import { Recording } from './recording.ts'
import { Rooms } from './rooms.ts'
import { type Knock, mediaFor, type Scenario } from './scenario.ts'
import type { Wall } from './web-scenario.ts'
import { type DeviceState, type EndBody, EVT, type Press } from './wire.ts'

const IN_LOBBY: readonly Standing[] = ['waiting', 'not_started']
const PRESENT: readonly Standing[] = ['waiting', 'not_started', 'inside']

export class MeetingServer implements Meeting {
  readonly number = String(randomInt(81_000_000_000, 89_000_000_000))
  readonly passcodeToken = `${randomBytes(15).toString('hex')}.1`
  readonly scenario: Scenario
  readonly rooms: Rooms
  readonly call: ZoomCall
  readonly recording: Recording
  readonly asked: Asked[] = []
  readonly infos: Fields[] = []
  readonly pressed: Press[] = []
  isNetworkDown = false
  /** Page loads of the web client. */
  loads = 0
  readonly #door: Door
  readonly #attendees = new Map<string, Attendee>()
  /** Removed attendees by the `suid` of their page or, without one, by name. */
  readonly #removed = new Set<string>()
  knock: Knock
  landing: Wall

  constructor(scenario: Scenario, door: Door) {
    this.scenario = scenario
    this.#door = door
    this.knock = scenario.knock
    this.landing = scenario.web.landing
    this.recording = new Recording(() => this.insiders())
    this.rooms = new Rooms({ insiders: () => this.insiders(), onLeft: (name) => this.#onLeft(name) })
    this.call = this.rooms.main.call
  }

  get url(): string {
    return `https://zoom.us/${this.scenario.kind === 'webinar' ? 'w' : 'j'}/${this.number}${this.scenario.passcode ? `?pwd=${this.passcodeToken}` : ''}`
  }

  get webUrl(): string {
    return `https://app.zoom.us/wc/${this.number}/join?fromPWA=1${this.scenario.passcode ? `&pwd=${this.passcodeToken}` : ''}`
  }

  waiting = (): Waiting[] => this.#standing(...IN_LOBBY).map(waitingOf)
  inside = (): Waiting[] => this.insiders().map(waitingOf)
  insiders = (): Attendee[] => this.#standing('inside')
  state = (userId?: number): DeviceState | null =>
    this.insiders().findLast((it) => userId === undefined || it.userId === userId)?.state ?? null

  answerKnocks(answer: Knock): void {
    this.knock = answer
  }

  setLanding(landing: Wall): void {
    this.landing = landing
  }

  start(then: 'inside' | 'waiting_room' = 'inside'): void {
    for (const attendee of this.#standing('not_started')) {
      if (then === 'inside') this.#enter(attendee)
      else this.#hold(attendee, 'waiting')
    }
  }

  admit(userId?: number): void {
    for (const attendee of chosen(this.#standing(...IN_LOBBY), userId)) this.#enter(attendee)
  }

  hold(userId?: number): void {
    for (const attendee of chosen(this.insiders(), userId)) this.#hold(attendee, 'waiting')
  }

  room = (name: string): ZoomCall => this.rooms.open(name).call
  whereabouts = (userId?: number): string | null =>
    this.insiders().findLast((it) => userId === undefined || it.userId === userId)?.room.name ?? null

  move(name: string | null, userId?: number): void {
    for (const attendee of chosen(this.insiders(), userId)) {
      attendee.invitedTo = this.rooms.open(name)
      attendee.send({ evt: EVT.room, body: { name, way: this.scenario.roomMove } })
    }
  }

  /** The page has followed an invitation: it leaves one call for another. */
  followRoom(attendee: Attendee): void {
    if (!attendee.invitedTo) return
    attendee.room.call.visitorLeft(attendee.userId)
    attendee.room = attendee.invitedTo
    attendee.invitedTo = null
    this.#enter(attendee)
  }

  promote(userId?: number): void {
    for (const attendee of chosen(this.insiders(), userId)) attendee.send({ evt: EVT.promotion, body: {} })
  }

  becomePanelist(attendee: Attendee): void {
    attendee.room.call.disconnect(attendee.userId)
    this.#enter(attendee)
  }

  remove(userId?: number): void {
    for (const attendee of chosen(this.#standing(...PRESENT), userId)) {
      this.#removed.add(identityOf(attendee))
      this.#endFor(attendee, { word: attendee.standing === 'inside' ? 'removed' : 'removed_waiting', code: 0 })
    }
  }

  end(): void {
    for (const attendee of this.#standing(...PRESENT)) this.#endFor(attendee, { word: this.scenario.ended, code: 0 })
  }

  fail(code: number, userId?: number): void {
    for (const attendee of chosen(this.#standing(...PRESENT), userId)) this.#endFor(attendee, { word: 'error', code })
  }

  dropNetwork(): void {
    this.isNetworkDown = true
    for (const attendee of this.#attendees.values()) {
      attendee.room.call.disconnect(attendee.userId)
      attendee.cut()
    }
  }

  restoreNetwork(): void {
    this.isNetworkDown = false
  }

  /** After a successful `wc/info`, the attendee may open its socket. */
  expect(fields: Fields): Attendee {
    const token = fields.obfToken ? this.#door.tokens.find('obf', fields.obfToken) : null
    const attendee = new Attendee(this.call.newUserId(), fields, {
      room: this.rooms.main,
      authorizedBy: token?.userName ?? null,
      media: mediaFor(this.scenario, fields.signatureType === 'sdk'),
    })
    this.#attendees.set(attendee.cid, attendee)
    return attendee
  }

  attendee = (cid: string): Attendee | undefined => this.#attendees.get(cid)

  connect(attendee: Attendee, socket: WebSocket): void {
    if (attendee.standing === 'out') return void socket.close()
    attendee.open(socket)
    // A socket closes by itself when its page is gone.
    socket.once('close', () => {
      if (attendee.isConnectedBy(socket) && !this.isNetworkDown) this.leave(attendee)
    })
    if (attendee.standing === 'connecting') this.#answerTo(attendee)
    else this.#repeat(attendee)
  }

  leave(attendee: Attendee): void {
    if (attendee.standing !== 'out') this.#move(attendee, 'out')
  }

  setState(attendee: Attendee, state: DeviceState): void {
    attendee.state = state
    if (attendee.standing === 'inside') attendee.room.call.roster.put(attendee.rosterEntry())
  }

  stop(): void {
    for (const attendee of this.#attendees.values()) {
      attendee.standing = 'out'
      attendee.cut()
    }
  }

  #answerTo(attendee: Attendee): void {
    const answer = this.knock
    if (answer === 'silent') return
    const wasRemoved = this.#removed.has(identityOf(attendee))
    const fault = typeof answer === 'number' ? answer : wasRemoved ? CODES.removedBefore : joinFault(this, attendee.fields, this.#door)
    if (fault) return void this.#endFor(attendee, { word: 'error', code: fault })
    if (answer === 'admitted') this.#enter(attendee)
    else this.#hold(attendee, answer === 'not_started' ? 'not_started' : 'waiting')
  }

  #repeat(attendee: Attendee): void {
    if (attendee.standing === 'inside') this.#enter(attendee)
    else if (attendee.standing === 'waiting' || attendee.standing === 'not_started') this.#hold(attendee, attendee.standing)
  }

  #hold(attendee: Attendee, standing: 'waiting' | 'not_started'): void {
    this.#move(attendee, standing)
    if (standing === 'waiting') this.#sendJoined(attendee)
    attendee.send({ evt: EVT.hold, body: { standing, mayRecord: attendee.mayRecord } })
  }

  #enter(attendee: Attendee): void {
    const { call } = attendee.room
    this.#move(attendee, 'inside')
    call.visitorEntered(attendee.userId)
    attendee.mayRecord ||= this.scenario.recording === 'allowed' || Boolean(attendee.fields.recordingToken)
    this.#sendJoined(attendee)
    attendee.send({ evt: EVT.hold, body: { standing: 'inside', mayRecord: attendee.mayRecord } })
    attendee.send({ evt: EVT.roster, body: { add: call.roster.all().filter(({ id }) => id !== attendee.userId) } })
    attendee.send({ evt: EVT.streams, body: { add: attendee.received(call.streams()) } })
    call.roster.leave(attendee.userId)
    call.roster.put(attendee.rosterEntry())
  }

  #sendJoined(attendee: Attendee): void {
    attendee.send({ evt: EVT.joinAnswer, body: { res: 0, userID: attendee.userId, zoomID: attendee.zoomId } })
  }

  #endFor(attendee: Attendee, body: EndBody): void {
    this.#move(attendee, 'out')
    attendee.send({ evt: EVT.end, body })
  }

  #move(attendee: Attendee, standing: Standing): void {
    const wasInside = attendee.standing === 'inside'
    attendee.standing = standing
    if (!wasInside || standing === 'inside') return
    attendee.capture = 0
    attendee.room.call.visitorLeft(attendee.userId)
  }

  #onLeft(name: string): void {
    if (this.scenario.authorizerLeft === 'stays') return
    for (const attendee of this.#standing(...PRESENT))
      if (attendee.authorizedBy === name) this.#endFor(attendee, { word: 'error', code: CODES.authorizedUserLeft })
  }

  #standing = (...standings: readonly Standing[]): Attendee[] =>
    [...this.#attendees.values()].filter((it) => standings.includes(it.standing))
}

function identityOf({ fields, name }: Attendee): string {
  return fields.suid || name
}

function chosen(attendees: readonly Attendee[], userId: number | undefined): readonly Attendee[] {
  const those = attendees.filter((it) => userId === undefined || it.userId === userId)
  if (those.length === 0) throw new Error(`There is no attendee ${userId ?? ''} in the right state for this`)
  return those
}
