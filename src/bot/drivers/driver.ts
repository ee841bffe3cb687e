// The interface of all drivers. It is small: session.ts has the course of a meeting.
import type { Browser } from 'playwright-core'
import type { Door } from '../../domain/doctor.ts'
import type { Attendees, EntryOutcome, KnockOutcome, MeetingEvent } from '../../domain/meeting.ts'
import type { BotOrders } from '../../domain/protocol.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import type { JoinWitness } from './browser-meeting/join-witness.ts'
import type { Display } from './display.ts'

export interface MeetingDriver {
  /** Opens the meeting and stops before asking to join. On abort it returns the current screen. */
  approach(signal: AbortSignal): Promise<Door>
  /** Opens the meeting and asks to join. */
  knock(signal: AbortSignal): Promise<KnockOutcome>
  /** Waits for admission, or returns at once where there is no waiting room. `never_admitted` on abort. */
  enter(signal: AbortSignal): Promise<EntryOutcome>
  /** Events since admission. Ends after an `ended` event. */
  events(): AsyncIterable<MeetingEvent>
  /** The current participants. */
  attendees(): Attendees
  /** Sends a chat message. Resolves when the meeting has accepted it. */
  write(text: string): Promise<void>
  /** Turns the bot's own device on or off by its button. Resolves when the meeting shows it. */
  turn(device: 'microphone' | 'camera', on: boolean): Promise<void>
  /** Turns the platform's captions on, in this language if given. `caption` events follow. Throws where there are none. */
  captions(language: string | null): Promise<void>
  /** Leaves by the button, or at once where the page does not work any more. Always closes the page. Safe to call twice. */
  leave(manner: 'politely' | 'at once'): Promise<void>
  readonly page: DriverPage
}

/** The meeting's page, for the recording, the bot's own media and evidence. */
export interface DriverPage {
  /** The page crashed or was closed, but not by the driver. */
  readonly died: boolean
  /** The value of an expression in the page. */
  run(expression: string): Promise<unknown>
  /** Resolves when the page runs code; never while it hangs. */
  touch(): Promise<void>
  /** The page's text, as evidence of a failure; null where it cannot be read. */
  text(): Promise<string | null>
  /** Errors and console lines of the page in the last minute, as evidence of a failure. */
  complaints(): readonly string[]
  /** A screenshot of the page as JPEG; null on timeout. */
  picture(withinMs?: number): Promise<Buffer | null>
}

/** Settings of a platform that the recording needs before its page is opened. */
export type DriverProfile = {
  /** The browser for BROWSER_MODE=auto. `headed`: for platforms that suspect headless browsers. */
  readonly browser: BrowserMode
  /** The size of its headless page, where the size does not change what is received. Memory grows with it; screenshots are enlarged. */
  readonly viewport?: Viewport
  /** False where the platform gives no encoded frames. */
  readonly encoded: boolean
  /** False where a script before the platform's own breaks its workers. */
  readonly wrapWorkers: boolean
  /** The page plays no sound, and shows levels that it reads from its receivers. */
  readonly silent?: true
  /** Contributing sources that name no participant. */
  readonly ignoredSources: readonly number[]
  /** One audio track carries all participants, and another one is its copy. */
  readonly mixed?: true
  /** The form of the id of a stream with the media of one participant. The audio of any other stream is a mix, and the driver's `voice` events name its speakers. */
  readonly ownStreams?: RegExp
  /** How long the page collects frames, for platforms whose tracks never change owners: each message crosses three threads and two processes. */
  readonly batchMs?: number
  /** Replaces settings for a bot that sends neither audio nor words while the meeting runs. */
  readonly recordingOnly?: { readonly batchMs: number }
}

export type BrowserMode = 'headless' | 'headed'
/** The display of a headed browser; null: headless. */
export type OpenBrowser = { readonly browser: Browser; readonly display: Display | null }
export type Viewport = { readonly width: number; readonly height: number }

/** The dependencies of a driver. */
export type DriverTools = Pick<BotOrders, 'botId' | 'spec' | 'signIn' | 'identity' | 'sdkFolder' | 'pageRules'> &
  OpenBrowser & {
    /** Opens a browser without a history for this bot. Other bots keep the one that they have. */
    readonly freshBrowser: () => Promise<OpenBrowser>
    /** Keeps evidence of a refused try to join. Another one follows. */
    readonly onRefused: (message: string) => Promise<void>
    /** The bot sends audio or recognised words while the meeting runs. */
    readonly isLive: boolean
    /** For URLs of the caller. */
    readonly http: HttpClient
    readonly now: () => number
    /** Injected into the meeting's pages: the recording, and the bot's microphone and camera. */
    readonly scripts: readonly string[]
    /** Collects what the driver sees, for `emissary doctor --bundle`. */
    readonly witness?: JoinWitness
  }
