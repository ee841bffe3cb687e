// What every platform's driver can do. It is small on purpose: the story is told in session.ts.
import type { Browser } from 'playwright-core'
import type { BotId, BotSpec, JsonObject } from '../../domain/bot.ts'
import type { Door } from '../../domain/doctor.ts'
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent } from '../../domain/meeting.ts'
import type { SignInOrders } from '../../domain/protocol.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Display } from './display.ts'

export interface MeetingDriver {
  /** Goes to the meeting and does everything but asking to be let in. What stands there when the signal comes is told as it is. */
  approach(signal: AbortSignal): Promise<Door>
  /** Goes to the meeting and asks to be let in. */
  knock(signal: AbortSignal): Promise<KnockOutcome>
  /** Waits at the door. Where there is none, answers at once. `never_admitted` when the signal comes first. */
  enter(signal: AbortSignal): Promise<EntryOutcome>
  /** Begins inside. Ends by itself after an `ended` event. */
  events(): AsyncIterable<MeetingEvent>
  /** Who is there at this moment. */
  attendees(): Attendees
  /** Writes into the meeting's chat; settles when the meeting has taken it. */
  write(text: string): Promise<void>
  /** Turns the bot's own device on or off, by the button a person has; settles when the meeting shows it. */
  turn(device: 'microphone' | 'camera', on: boolean): Promise<void>
  /** Has the platform write down what is said, in this language where one is named; `caption` events follow. Throws where it cannot. */
  captions(language: string | null): Promise<void>
  /** Leaves as a person would, or at once where the page is of no more use; closes it whatever happens. Safe to call twice. */
  leave(how: 'politely' | 'at once'): Promise<void>
  readonly page: DriverPage
}

/** The meeting's page, for the recording, the bot's own media and evidence. */
export interface DriverPage {
  /** The page is gone, though the driver did not close it. */
  readonly died: boolean
  /** The value of an expression in the page. */
  run(expression: string): Promise<unknown>
  /** Settles when the page moves; never, where it hangs. */
  touch(): Promise<void>
  /** What the page says in words, for the evidence of a failure; null where it cannot be had. */
  text(): Promise<string | null>
  /** Errors of the page's own code and lines of its console in the last minute, for the evidence of a failure. */
  complaints(): readonly string[]
  /** A picture of the page as JPEG; null where it cannot be had in time. */
  picture(withinMs?: number): Promise<Buffer | null>
}

/** What the recording must know of a platform before its page is opened. */
export type DriverProfile = {
  /** The browser that BROWSER_MODE=auto takes. `headed`: platforms that take headless browsers for suspicious. */
  readonly browser: BrowserMode
  /** False where the platform is known to give no encoded frames. */
  readonly encoded: boolean
  /** False where the platform's workers do not bear a script before their own. */
  readonly wrapWorkers: boolean
  /** Contributing sources that name no participant. */
  readonly ignoredSources: readonly number[]
  /** One audio track carries all participants, and another one is its copy. */
  readonly mixed?: true
}

export type BrowserMode = 'headless' | 'headed'

/** What a driver is made of. */
export type DriverTools = {
  readonly browser: Browser
  /** Where the browser has its windows; null: it is headless. */
  readonly display: Display | null
  readonly botId: BotId
  readonly spec: BotSpec
  /** What to join with; null: as a guest. */
  readonly signIn: SignInOrders | null
  /** The platform's own SDK; null: none is installed. */
  readonly sdkFolder: string | null
  /** For URLs that the caller gave. */
  readonly outgoing: Outgoing
  /** Rows of the operator's that replace the driver's own; null: none. */
  readonly tables: JsonObject | null
  readonly now: () => number
  /** For the meeting's pages: the recording, and the bot's own microphone and camera. */
  readonly scripts: readonly string[]
}
