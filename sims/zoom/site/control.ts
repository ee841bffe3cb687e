// What a test can do with a meeting and ask of it.
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
  /** The ids of those who have asked, in order; a second request is there twice. */
  readonly requests: readonly number[]
  allow(userId?: number): void
  deny(userId?: number): void
  /** Takes back what was allowed: whoever records is stopped. */
  withdraw(userId?: number): void
  /** What the latest attendee captures, unless one is named. */
  status(userId?: number): CaptureStatus
  /** Every change of it, with its moment. */
  readonly changes: readonly { readonly userId: number; readonly status: CaptureStatus; readonly atMs: number }[]
}

/** Where no attendee is named, all are meant that can be. */
export type Meeting = {
  readonly scenario: Scenario
  readonly number: string
  /** `https://zoom.us/j/<number>?pwd=<token>`. */
  readonly url: string
  /** What stands in the link for the passcode. */
  readonly passcodeToken: string
  /** Where the web client of this meeting is. */
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
  /** What the page reports of its devices; of the latest one, unless one is named. */
  state(userId?: number): DeviceState | null
  /** From now on whoever asks gets this, in place of what the scenario says. */
  answerKnocks(answer: Knock): void
  /** What stands in place of the web client's preview from now on; `none` is the preview. */
  setLanding(landing: Wall): void
  /** The host starts the meeting: whoever waited for that comes in, or into the waiting room. */
  start(then?: 'inside' | 'waiting_room'): void
  admit(userId?: number): void
  /** Out of the meeting or of the waiting room. They cannot come back. */
  remove(userId?: number): void
  /** Back into the waiting room. */
  hold(userId?: number): void
  end(): void
  /** Ends the meeting for them with an error code of the SDK. */
  fail(code: number, userId?: number): void
  dropNetwork(): void
  restoreNetwork(): void
}
