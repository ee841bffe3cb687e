// What a test can do with a meeting and ask of it.
import type { RosterUpdate } from '../call/roster.ts'
import type { Call } from '../call/types.ts'
import type { LinkForm } from './links.ts'
import type { Knock, Scenario } from './scenario.ts'
import type { AttendeeState, Press } from './wire.ts'
import type { ScreenName } from './words.ts'

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
  /** In the group of suspected bots, which cannot be admitted together with the others. */
  readonly suspected: boolean
  readonly token: string | null
  readonly atMs: number
}

/** Whoever admits, refuses or removes somebody. */
export type Sender = { readonly id: string; readonly name: string }

/** Where no attendee is named, all are meant that can be. */
export type Meeting = {
  readonly scenario: Scenario
  readonly url: string
  readonly links: Readonly<Record<LinkForm, string>>
  readonly callId: string
  /** People who talk, show and write, and what browsers send. */
  readonly call: Call
  /** Every request of a page in this meeting. */
  readonly asked: readonly Asked[]
  readonly pressed: readonly Press[]
  waiting(): readonly Waiting[]
  inside(): readonly Waiting[]
  /** What the page reports of its microphone, camera and captions; the latest one, if none is named. */
  state(id?: string): AttendeeState | null
  /** From now on whoever asks gets this, in place of what the scenario says. */
  answerKnocks(answer: Knock): void
  /** The meeting starts: whoever waited for that now waits to be let in. */
  start(): void
  /** Without an id, everybody in the ordinary group, as with the button "Admit all". */
  admit(id?: string): void
  refuse(by?: Sender, id?: string): void
  remove(by?: Sender, id?: string): void
  end(): void
  /** Anonymous joins are off: conversationEnd 5723. */
  refuseAnonymous(id?: string): void
  timeOutLobby(id?: string): void
  /** The connection to the lobby fails; the page lets its user press the button again. */
  failLobby(id?: string): void
  /** Any screen at any moment, to whoever waits or is inside. */
  show(screen: ScreenName): void
  /** As when the host joins at the same time. */
  resetCaptionLanguage(): void
  /** A roster as breakout rooms and earlier calls leak them. */
  leakRoster(update: RosterUpdate, callId: string): void
  dropNetwork(): void
  restoreNetwork(): void
}
