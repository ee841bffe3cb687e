// One meeting on the server: its lobby, its participants, and the messages on each socket.
import type { WebSocket } from 'ws'
import type { TeamsCall } from '../call/call.ts'
import { newUserId } from '../call/person.ts'
import type { RosterUpdate } from '../call/roster.ts'
import { Attendee, type Standing } from './attendee.ts'
import { Attendees } from './attendees.ts'
import type { Asked, Meeting, Sender, Waiting } from './control.ts'
import { type Identity, linksOf } from './links.ts'
import { Rooms } from './rooms.ts'
import { type Knock, type Scenario, SIGN_IN_WALLS } from './scenario.ts'
import type { ScreenName } from './texts.ts'
import { type Frame, rosterFrame } from './trouter.ts'
import { type AttendeeState, type ConversationEnd, FRAME_PATHS, type Press, type Progress } from './wire.ts'

/** What the meeting knows of Microsoft's accounts. */
export type Directory = { readonly signInUrl: (next: string) => string; readonly isRegistered: (token: string) => boolean }

export type Arrival = { readonly name: string; readonly token: string | null; readonly isSignedIn: boolean }

const ORGANIZER: Sender = { id: '8:orgid:5f0c2a34-organizer', name: 'Olga Organizer' }
const REFUSED = 5854
const ANONYMOUS_OFF = 5723

export class MeetingServer implements Meeting {
  readonly identity: Identity
  readonly scenario: Scenario
  readonly links: Meeting['links']
  readonly call: TeamsCall
  readonly callId: string
  readonly asked: Asked[] = []
  readonly pressed: Press[] = []
  isNetworkDown = false
  /** How many pages were loaded. */
  loads = 0
  readonly #rooms: Rooms
  readonly #attendees = new Attendees()
  readonly #directory: Directory
  #answer: Knock

  constructor(identity: Identity, scenario: Scenario, directory: Directory) {
    this.identity = identity
    this.scenario = scenario
    this.links = linksOf(identity, scenario.variant === 'work' ? 'teams.microsoft.com' : 'teams.live.com')
    this.#answer = scenario.knock
    this.#directory = directory
    this.#rooms = new Rooms(scenario.call, this.#attendees.inside)
    this.call = this.#rooms.meeting.call
    this.callId = this.#rooms.meeting.callId
  }

  room = (name: string): TeamsCall => this.#rooms.open(name).call
  /** Personal meetings have no long link. */
  get url(): string {
    return this.scenario.variant === 'work' ? this.links.meetup_join : this.links.short
  }

  waiting = (): Waiting[] => this.#attendees.waiting().map((it) => it.seen())
  inside = (): Waiting[] => this.#attendees.inside().map((it) => it.seen())
  state = (id?: string): AttendeeState | null => (id ? this.#attendees.get(id) : this.#attendees.inside().at(-1))?.state ?? null

  answerKnocks(answer: Knock): void {
    this.#answer = answer
  }

  start(): void {
    for (const attendee of this.#attendees.are('not_started')) this.#wait(attendee)
  }

  admit(id?: string): void {
    const candidates = this.#attendees.waiting().filter(({ facts }) => id !== undefined || !facts.suspected)
    for (const attendee of this.#attendees.chosen(candidates, id)) this.#enter(attendee)
  }

  refuse(by: Sender = ORGANIZER, id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.waiting(), id)) this.#endFor(attendee, REFUSED, by)
  }

  remove(by: Sender = ORGANIZER, id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.inside(), id)) this.#endFor(attendee, this.scenario.removedCode, by)
  }

  end(): void {
    for (const attendee of this.#attendees.are('waiting', 'not_started', 'inside')) this.#endFor(attendee, 0)
  }

  refuseAnonymous(id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.waiting(), id)) this.#endFor(attendee, ANONYMOUS_OFF)
  }

  timeOutLobby(id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.waiting(), id)) this.#showTo(attendee, 'connect_error')
  }

  failLobby(id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.waiting(), id)) this.#notify(attendee, 'out', { kind: 'lobby_failed' })
  }

  show(screen: ScreenName): void {
    for (const attendee of this.#attendees.are('waiting', 'not_started', 'inside')) this.#showTo(attendee, screen)
  }

  resetCaptionLanguage(): void {
    for (const { trouter } of this.#attendees.inside()) trouter.send(this.#progress({ kind: 'caption_language_reset' }))
  }

  leakRoster(update: RosterUpdate, callId: string): void {
    for (const { trouter } of this.#attendees.inside()) trouter.send(rosterFrame(update, callId))
  }

  move(name: string | null, id?: string): void {
    for (const attendee of this.#attendees.chosen(this.#attendees.inside(), id)) this.#rooms.invite(attendee, name ?? '')
  }

  dropNetwork(): void {
    this.isNetworkDown = true
    for (const { facts, room } of this.#attendees.inside()) room.call.disconnect(facts.id)
    for (const attendee of this.#attendees.all()) attendee.cut()
  }

  restoreNetwork(): void {
    this.isNetworkDown = false
  }

  /** Handles a knock. The result is sent on the page's socket. */
  knock({ name, token, isSignedIn }: Arrival): string {
    const id = newUserId(isSignedIn ? 'work' : 'visitor')
    const known = token !== null && this.#directory.isRegistered(token)
    const suspected = this.scenario.suspectsBots && !isSignedIn && !known
    const attendee = new Attendee({ id, name, known, suspected, token }, this.#rooms.meeting)
    this.#attendees.add(attendee)
    const answer = isSignedIn && SIGN_IN_WALLS.has(this.#answer) ? 'lobby' : this.#answer
    attendee.after(this.scenario.knockMs, () => this.#answerTo(attendee, answer))
    return id
  }

  attendee = (id: string): Attendee | null => this.#attendees.get(id)

  connect(id: string, socket: WebSocket): void {
    const attendee = this.#attendees.get(id)
    if (!attendee) return void socket.close()
    if (attendee.trouter.connect(socket)) attendee.repeatLast()
    // A socket that closes on its own belongs to a closed tab.
    socket.once('close', () => {
      if (attendee.trouter.isConnectedBy(socket) && !this.isNetworkDown) this.#forget(attendee)
    })
  }

  async offer(id: string, sdp: string): Promise<string> {
    const attendee = this.#attendees.get(id)
    if (attendee?.standing !== 'inside') throw new Error(`${id} is not in the meeting`)
    const sendRoster = () => this.scenario.firstRoster === 'whole' && attendee.sendRoster()
    sendRoster()
    if (this.scenario.ownTwice) attendee.room.call.roster.put(`${id}#other`, attendee.rosterEntry())
    return attendee.room.call.offer(sdp, { id, entry: attendee.rosterEntry(), onOpen: sendRoster })
  }

  setState(id: string, state: AttendeeState): void {
    const attendee = this.#attendees.get(id)
    if (attendee?.standing !== 'inside') return
    attendee.state = state
    attendee.room.call.setCaptions(id, state.captions)
    attendee.room.call.roster.put(id, attendee.rosterEntry())
  }

  /** The page hangs up in its call and goes where it was invited to. */
  goToRoom(id: string): void {
    const attendee = this.#attendees.get(id)
    if (attendee?.standing !== 'inside') return
    this.#hangUp(attendee)
    this.#rooms.move(attendee, this.scenario.callBehind)
  }

  /** The page gets its own departure like any other end, with itself as sender. */
  leave(id: string): void {
    const attendee = this.#attendees.get(id)
    if (!attendee || attendee.standing === 'out') return
    this.#endFor(attendee, 0, { id, name: attendee.facts.name })
    attendee.trouter.close()
  }

  async close(): Promise<void> {
    await this.#rooms.close()
  }

  stop(): void {
    for (const attendee of this.#attendees.all()) {
      attendee.move('out', null)
      attendee.cut()
    }
  }

  #answerTo(attendee: Attendee, answer: Knock): void {
    const { externalBotAccess } = this.scenario
    if (attendee.facts.suspected && externalBotAccess === 'block') this.#endFor(attendee, REFUSED)
    else if (answer === 'lobby') this.#wait(attendee)
    else if (answer === 'not_started') this.#notify(attendee, 'not_started', { kind: 'not_started' })
    else if (answer === 'sign_in') this.#notify(attendee, 'out', { kind: 'go', to: this.#directory.signInUrl(this.url) })
    else if (answer !== 'admitted') this.#showTo(attendee, answer)
    else if (attendee.facts.suspected && externalBotAccess === 'require_approval') this.#wait(attendee)
    else this.#enter(attendee)
  }

  #wait(attendee: Attendee): void {
    const { lobbyTimeOutMs } = this.scenario
    this.#notify(attendee, 'waiting', { kind: 'lobby' })
    if (lobbyTimeOutMs !== null) attendee.after(lobbyTimeOutMs, () => this.#showTo(attendee, 'connect_error'))
  }

  #enter(attendee: Attendee): void {
    attendee.move('inside', { path: FRAME_PATHS.acceptance, body: { kind: 'accepted' }, packing: 'packed', callId: this.callId })
    this.call.notify('ThreadActivity/AddMember', `<addmember><target>${attendee.facts.id}</target></addmember>`)
  }

  #showTo(attendee: Attendee, screen: ScreenName): void {
    this.#notify(attendee, 'out', { kind: 'screen', screen })
  }

  #notify(attendee: Attendee, standing: Standing, progress: Progress): void {
    this.#goOut(attendee, standing)
    attendee.move(standing, this.#progress(progress))
  }

  #endFor(attendee: Attendee, subCode: number, by?: Sender): void {
    const body: ConversationEnd = { subCode, ...(by && { sender: { id: by.id, displayName: by.name } }) }
    const { callId } = by ? attendee.room : this
    this.#goOut(attendee, 'out')
    attendee.move('out', { path: FRAME_PATHS.conversationEnd, body, packing: this.scenario.endBody, callId })
  }

  #forget(attendee: Attendee): void {
    this.#goOut(attendee, 'out')
    attendee.move('out', null)
  }

  #goOut(attendee: Attendee, next: Standing): void {
    if (attendee.standing !== 'inside' || next === 'inside') return
    this.#hangUp(attendee)
    attendee.goTo(this.#rooms.meeting)
  }

  #hangUp({ facts: { id }, room: { call } }: Attendee): void {
    call.roster.leave(`${id}#other`)
    call.visitorLeft(id)
  }

  #progress(body: Progress): Frame {
    return { path: FRAME_PATHS.progress, body, packing: 'packed', callId: this.callId }
  }
}
