// One meeting on the server: its lobby, its participants, and the messages on each socket.
import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { TeamsCall } from '../call/call.ts'
import { newUserId } from '../call/person.ts'
import type { RosterUpdate } from '../call/roster.ts'
import type { ChatMessage } from '../call/types.ts'
import { Attendee, type Standing } from './attendee.ts'
import type { Asked, Meeting, Sender, Waiting } from './control.ts'
import { type Identity, linksOf } from './links.ts'
import { type Knock, type Scenario, SIGN_IN_WALLS } from './scenario.ts'
import type { ScreenName } from './texts.ts'
import { type Frame, rosterFrame } from './trouter.ts'
import { type AttendeeState, type ConversationEnd, FRAME_PATHS, type Press, type Progress } from './wire.ts'

export type Arrival = { readonly name: string; readonly token: string | null; readonly isSignedIn: boolean }

const WAITING: ReadonlySet<Standing> = new Set(['waiting', 'not_started'])
const ORGANIZER: Sender = { id: '8:orgid:5f0c2a34-organizer', name: 'Olga Organizer' }
const REFUSED = 5854
const ANONYMOUS_OFF = 5723

export class MeetingServer implements Meeting {
  readonly identity: Identity
  readonly scenario: Scenario
  readonly links: Meeting['links']
  readonly call: TeamsCall
  readonly callId = randomUUID()
  readonly asked: Asked[] = []
  readonly pressed: Press[] = []
  isNetworkDown = false
  /** How many pages were loaded. */
  loads = 0
  readonly #attendees = new Map<string, Attendee>()
  readonly #signInUrl: string
  #answer: Knock

  constructor(identity: Identity, scenario: Scenario, signInUrl: (next: string) => string) {
    this.identity = identity
    this.scenario = scenario
    this.links = linksOf(identity, scenario.variant === 'work' ? 'teams.microsoft.com' : 'teams.live.com')
    this.#answer = scenario.knock
    this.#signInUrl = signInUrl(this.url)
    this.call = new TeamsCall(scenario.call, { onRoster: (update) => this.#onRoster(update), onChat: (message) => this.#onChat(message) })
  }

  /** Personal meetings have no long link. */
  get url(): string {
    return this.scenario.variant === 'work' ? this.links.meetup_join : this.links.short
  }

  waiting = (): Waiting[] => this.#withStanding(WAITING).map(asWaiting)
  inside = (): Waiting[] => this.#insiders().map(asWaiting)
  state = (id?: string): AttendeeState | null => (id ? this.#attendees.get(id) : this.#insiders().at(-1))?.state ?? null

  answerKnocks(answer: Knock): void {
    this.#answer = answer
  }

  start(): void {
    for (const attendee of this.#withStanding(new Set(['not_started']))) this.#wait(attendee)
  }

  admit(id?: string): void {
    const candidates = this.#withStanding(WAITING).filter(({ facts }) => id !== undefined || !facts.suspected)
    for (const attendee of this.#chosen(candidates, id)) this.#enter(attendee)
  }

  refuse(by: Sender = ORGANIZER, id?: string): void {
    for (const attendee of this.#chosen(this.#withStanding(WAITING), id)) this.#endFor(attendee, REFUSED, by)
  }

  remove(by: Sender = ORGANIZER, id?: string): void {
    for (const attendee of this.#chosen(this.#insiders(), id)) this.#endFor(attendee, this.scenario.removedCode, by)
  }

  end(): void {
    for (const attendee of this.#present()) this.#endFor(attendee, 0)
  }

  refuseAnonymous(id?: string): void {
    for (const attendee of this.#chosen(this.#withStanding(WAITING), id)) this.#endFor(attendee, ANONYMOUS_OFF)
  }

  timeOutLobby(id?: string): void {
    for (const attendee of this.#chosen(this.#withStanding(WAITING), id)) this.#showTo(attendee, 'connect_error')
  }

  failLobby(id?: string): void {
    for (const attendee of this.#chosen(this.#withStanding(WAITING), id)) this.#notify(attendee, 'out', { kind: 'lobby_failed' })
  }

  show(screen: ScreenName): void {
    for (const attendee of this.#present()) this.#showTo(attendee, screen)
  }

  resetCaptionLanguage(): void {
    for (const { trouter } of this.#insiders()) trouter.send(this.#progress({ kind: 'caption_language_reset' }))
  }

  leakRoster(update: RosterUpdate, callId: string): void {
    for (const { trouter } of this.#insiders()) trouter.send(rosterFrame(update, callId))
  }

  dropNetwork(): void {
    this.isNetworkDown = true
    for (const { facts } of this.#insiders()) this.call.disconnect(facts.id)
    for (const attendee of this.#attendees.values()) attendee.cut()
  }

  restoreNetwork(): void {
    this.isNetworkDown = false
  }

  /** Handles a knock. The result is sent on the page's socket. */
  knock({ name, token, isSignedIn }: Arrival): string {
    const id = newUserId(isSignedIn ? 'work' : 'visitor')
    const suspected = this.scenario.suspectsBots && !isSignedIn && token === null
    const sources = { audio: this.call.newSource(), video: this.call.newSource() }
    const attendee = new Attendee({ id, name, suspected, token, sources })
    this.#attendees.set(id, attendee)
    const answer = isSignedIn && SIGN_IN_WALLS.has(this.#answer) ? 'lobby' : this.#answer
    attendee.after(this.scenario.knockMs, () => this.#answerTo(attendee, answer))
    return id
  }

  attendee = (id: string): Attendee | null => this.#attendees.get(id) ?? null

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
    if (this.scenario.firstRoster === 'whole') attendee.trouter.send(rosterFrame(this.call.roster.snapshot(), this.callId))
    if (this.scenario.ownTwice) this.call.roster.put(`${id}#other`, attendee.rosterEntry())
    return this.call.offer(sdp, { id, entry: attendee.rosterEntry() })
  }

  setState(id: string, state: AttendeeState): void {
    const attendee = this.#attendees.get(id)
    if (attendee?.standing !== 'inside') return
    attendee.state = state
    this.call.setCaptions(id, state.captions)
    this.call.roster.put(id, attendee.rosterEntry())
  }

  /** The page gets its own departure like any other end, with itself as sender. */
  leave(id: string): void {
    const attendee = this.#attendees.get(id)
    if (!attendee || attendee.standing === 'out') return
    this.#endFor(attendee, 0, { id, name: attendee.facts.name })
    attendee.trouter.close()
  }

  stop(): void {
    for (const attendee of this.#attendees.values()) {
      attendee.move('out', null)
      attendee.cut()
    }
  }

  #answerTo(attendee: Attendee, answer: Knock): void {
    const { externalBotAccess } = this.scenario
    if (attendee.facts.suspected && externalBotAccess === 'block') this.#endFor(attendee, REFUSED)
    else if (answer === 'lobby') this.#wait(attendee)
    else if (answer === 'not_started') this.#notify(attendee, 'not_started', { kind: 'not_started' })
    else if (answer === 'sign_in') this.#notify(attendee, 'out', { kind: 'go', to: this.#signInUrl })
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
    this.#goOut(attendee, 'out')
    attendee.move('out', { path: FRAME_PATHS.conversationEnd, body, packing: this.scenario.endBody, callId: this.callId })
  }

  #forget(attendee: Attendee): void {
    this.#goOut(attendee, 'out')
    attendee.move('out', null)
  }

  #goOut({ standing, facts }: Attendee, next: Standing): void {
    if (standing !== 'inside' || next === 'inside') return
    this.call.roster.leave(`${facts.id}#other`)
    this.call.visitorLeft(facts.id)
  }

  #progress(body: Progress): Frame {
    return { path: FRAME_PATHS.progress, body, packing: 'packed', callId: this.callId }
  }

  #onRoster(update: RosterUpdate): void {
    for (const { trouter } of this.#insiders()) trouter.send(rosterFrame(update, this.callId))
  }

  #onChat(message: ChatMessage): void {
    for (const attendee of this.#insiders()) attendee.receiveChat(message)
  }

  #withStanding = (standings: ReadonlySet<Standing>): Attendee[] => [...this.#attendees.values()].filter((it) => standings.has(it.standing))
  #insiders = (): Attendee[] => this.#withStanding(new Set(['inside']))
  #present = (): Attendee[] => this.#withStanding(new Set(['waiting', 'not_started', 'inside']))

  #chosen(attendees: readonly Attendee[], id: string | undefined): readonly Attendee[] {
    const chosen = attendees.filter(({ facts }) => id === undefined || facts.id === id)
    if (chosen.length === 0) throw new Error(`No attendee ${id ?? ''} is in the right state for this`)
    return chosen
  }
}

function asWaiting({ facts: { id, name, suspected, token }, atMs }: Attendee): Waiting {
  return { id, name, suspected, token, atMs }
}
