// The actions and observations that a meeting offers to tests.
import type { RosterUpdate } from '../call/roster.ts'
import type { Call } from '../call/types.ts'
import type { LinkForm } from './links.ts'
import type { Knock, Scenario } from './scenario.ts'
import type { ScreenName } from './texts.ts'
import type { AttendeeState, Press } from './wire.ts'

export type Asked = {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly body: string
  readonly atMs: number
}

export type Waiting = {
  readonly id: string
  readonly name: string
  /** Shown as a registered bot. */
  readonly known: boolean
  /** In the group of suspected bots, which "Admit all" leaves out. */
  readonly suspected: boolean
  readonly token: string | null
  readonly atMs: number
  /** The breakout room; empty: the meeting itself. */
  readonly room: string
}

/** The person who admits, refuses or removes an attendee. */
export type Sender = { readonly id: string; readonly name: string }

/** Without an attendee, an action applies to all attendees that allow it. */
export type Meeting = {
  readonly scenario: Scenario
  readonly url: string
  readonly links: Readonly<Record<LinkForm, string>>
  readonly callId: string
  /** The media part: people who talk, show and write, and the media of browsers. */
  readonly call: Call
  /** Every request of a page in this meeting. */
  readonly asked: readonly Asked[]
  readonly pressed: readonly Press[]
  waiting(): readonly Waiting[]
  inside(): readonly Waiting[]
  /** The state that the page reports of its microphone, camera and captions. Default: the latest page. */
  state(id?: string): AttendeeState | null
  /** The answer to the next knocks, instead of that of the scenario. */
  answerKnocks(answer: Knock): void
  /** The meeting starts: attendees that waited for it move to the lobby. */
  start(): void
  /** Without an id, everybody in the ordinary group, as with the button "Admit all". */
  admit(id?: string): void
  refuse(by?: Sender, id?: string): void
  remove(by?: Sender, id?: string): void
  end(): void
  /** Anonymous joins are off: conversationEnd 5723. */
  refuseAnonymous(id?: string): void
  timeOutLobby(id?: string): void
  /** The connection to the lobby fails, and the page enables its button again. */
  failLobby(id?: string): void
  /** Shows any screen to attendees in the lobby or in the call. */
  show(screen: ScreenName): void
  /** As when the host joins at the same time. */
  resetCaptionLanguage(): void
  /** A roster of another call, as breakout rooms and earlier calls leak it. */
  leakRoster(update: RosterUpdate, callId: string): void
  /** The media part of a breakout room, which opens at its first use. */
  room(name: string): Call
  /** The organizer moves attendees into a breakout room, or back with null. */
  move(name: string | null, id?: string): void
  dropNetwork(): void
  restoreNetwork(): void
}
