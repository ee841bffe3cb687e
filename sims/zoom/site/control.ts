// The controls and observations that a meeting offers to tests.
import type { Call } from '../call/types.ts'
import type { Fields } from './entry.ts'
import type { Knock, Scenario } from './scenario.ts'
import type { Wall } from './web-scenario.ts'
import type { CaptureStatus, DeviceState, Press } from './wire.ts'

export type Asked = {
  readonly method: string
  readonly host: string
  readonly path: string
  readonly query: string
  readonly body: string
  readonly atMs: number
}

export type Waiting = { readonly userId: number; readonly name: string; readonly atMs: number }

/** The host's answers to requests to record. A request without an answer stays open. */
export type RecordingControl = {
  /** User ids in order of their requests. A repeated request is listed again. */
  readonly requests: readonly number[]
  allow(userId?: number): void
  deny(userId?: number): void
  /** Withdraws the permission, which stops the recording. */
  withdraw(userId?: number): void
  /** The capture status of the given attendee, by default the latest. */
  status(userId?: number): CaptureStatus
  /** Every change of the status, with its time. */
  readonly changes: readonly { readonly userId: number; readonly status: CaptureStatus; readonly atMs: number }[]
}

/** A control without a user id applies to all attendees that it fits. */
export type Meeting = {
  readonly scenario: Scenario
  readonly number: string
  /** `https://zoom.us/j/<number>?pwd=<token>`. */
  readonly url: string
  /** The passcode as it is encoded in the link. */
  readonly passcodeToken: string
  /** URL of the web client. */
  readonly webUrl: string
  readonly call: Call
  readonly recording: RecordingControl
  /** Every request of a page for this meeting. */
  readonly asked: readonly Asked[]
  /** The fields of every `wc/info`. */
  readonly infos: readonly Fields[]
  readonly pressed: readonly Press[]
  waiting(): readonly Waiting[]
  inside(): readonly Waiting[]
  /** Device state that the given page reports, by default the latest. */
  state(userId?: number): DeviceState | null
  /** Replaces the scenario's answer to later joins. */
  answerKnocks(answer: Knock): void
  /** Replaces the web client's preview from now on. `none` shows the preview. */
  setLanding(landing: Wall): void
  /** The host starts the meeting: waiting attendees enter it, or the waiting room. */
  start(then?: 'inside' | 'waiting_room'): void
  admit(userId?: number): void
  /** Removes from the meeting or the waiting room, for good. */
  remove(userId?: number): void
  /** Moves back into the waiting room. */
  hold(userId?: number): void
  /** The call of a breakout room, which opens now if it is new. */
  room(name: string): Call
  /** The host invites attendees to a breakout room, or with null back to the main session. */
  move(name: string | null, userId?: number): void
  /** The breakout room in which the given attendee is, by default the latest; null: the main session. */
  whereabouts(userId?: number): string | null
  /** The host of a webinar asks attendees to be panelists. A page that accepts joins again as one. */
  promote(userId?: number): void
  end(): void
  /** Ends the meeting for them with an error code of the SDK. */
  fail(code: number, userId?: number): void
  dropNetwork(): void
  restoreNetwork(): void
}
