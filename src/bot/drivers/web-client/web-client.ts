// The interface of a platform's web client: its tables, the traffic to read, and the readers for it.
import type { BrowserContext, Page } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { Attendees, MeetingEvent } from '../../../domain/meeting.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import type { DriverProfile } from '../driver.ts'
import type { SeenPerson } from './facts.ts'
import type { Viewport } from './meeting-page.ts'
import type { DoorSign, Readers } from './messages.ts'
import type { Verdict } from './patience.ts'
import type { PlatformTables, Screen } from './tables.ts'

/** The client's own traffic that the page's listeners report, each under its kind. */
type Listened = {
  /** Data channels, by label. The label is the kind. */
  readonly channels: readonly string[]
  /** Responses to the page's `fetch` with a base64 body, by a part of their URL. */
  readonly answers: Readonly<Record<string, string>>
  /** Text responses to the page's `fetch` or XMLHttpRequest, by a part of their URL. */
  readonly texts?: Readonly<Record<string, string>>
  /** Text frames of web sockets, by a part of their URL. */
  readonly sockets?: Readonly<Record<string, string>>
  /** Messages that the page itself sends on data channels: the kind, by label. */
  readonly sent?: Readonly<Record<string, string>>
  /** The data of events that reach bound functions, by the name of the function. */
  readonly bound?: Readonly<Record<string, string>>
  /** The kind for messages from the page's workers. */
  readonly workers?: string
  /** The kind for remote session descriptions. */
  readonly description?: string
  /** The kind for received tracks, each with the id of its stream. */
  readonly tracks?: string
  /** The client may decode media itself. Its audio and video are then sent through a peer connection within the page. */
  readonly decodes?: true
  /** Some calls have audio that names no speaker. Captions are then turned on, which participants can see. */
  readonly unnamedSound?: true
}

export type WebClient = {
  /** For messages: "Google Meet could not be reached". */
  readonly label: string
  /** A page of the platform that always exists; null where there is none. */
  readonly home: string | null
  readonly profile: DriverProfile
  /** The size of its headless page, where the size does not change what is received. Memory grows with it; screenshots are enlarged. */
  readonly viewport?: Viewport
  readonly tables: PlatformTables
  /** `isLive`: the bot sends audio or recognised words while the meeting runs. */
  readonly addressOf: (spec: BotSpec, isLive: boolean) => URL
  /** A URL that only shows the entry page, where `addressOf` already asks to join. */
  readonly doorOf?: (spec: BotSpec) => URL
  /** HTTP statuses of the platform for a wrong link. */
  readonly wrongLinkStatuses?: readonly number[]
  /** The URL to open instead of the current page; null: stay. */
  readonly passBy?: (url: string, spec: BotSpec, isSignedIn: boolean) => URL | null
  /** Further origins of the platform besides the link's own. */
  readonly origins?: readonly string[]
  /** The passcode for the platform's own field; null: the link has none. */
  readonly passcodeOf?: (spec: BotSpec) => string | null
  /** The limits of the platform's fields. */
  readonly longestName: number
  readonly longestChatLine: number
  /** A part of the URL whose response answers the request to join; null where there is none. */
  readonly joinRequest: string | null
  /** Null: no traffic is read. */
  readonly listens: Listened | null
  /** Advice for a browser that the platform treats as suspicious. */
  readonly suspicionHelp?: string
  /** Decodes reports about the request to join, by kind. Null: not about it. */
  readonly doorReaders?: Readonly<Record<string, (bytes: Uint8Array) => DoorSign | null>>
  /** Decodes reports of the listeners, by kind. Readers have state, so each meeting has its own. */
  readonly createReaders: (own: OwnEntry) => Readers
  /** Expressions whose values are reported as JSON once a second in the call, by kind. */
  readonly globals?: Readonly<Record<string, string>>
  /** Turns captions on through the client's own code, where it can be reached. */
  readonly captions?: CaptionScript
  /** The client treats its tab as idle after this long without mouse movement; absent where it does not. */
  readonly idleAfterMs?: number
  readonly signIns: SignIns
  /** The host must allow the recording. The page asks and reports the answer. */
  readonly asksToRecord?: true
  /** The client's own functions, used instead of its buttons. */
  readonly calls?: ClientCalls
  /** For pages that publish the state of the meeting, which is read instead of traffic. */
  readonly published?: {
    /** Called before the page is opened. */
    readonly follow: (context: BrowserContext, report: (report: unknown) => void) => Promise<void>
    readonly createRoster: (...listeners: RosterListeners) => ClientRoster
  }
}

/** Expressions. They return null, or a sentence about the problem. */
type ClientCalls = { readonly write: (line: string) => string; readonly leave: string }

/** Expressions. Languages are those of a request, such as `de` or `en-US`. */
export type CaptionScript = {
  /** Turns captions on. Returns true on success. */
  readonly begin: (language: string | null) => string
  /** Sets the language again where the client has reset it. */
  readonly keep: (language: string) => string
}

/** The bot's own entry in a roster. */
export type OwnEntry = { readonly name: string }

/** `emit`: an event of the meeting. `onOwnLine`: the chat has accepted a message of the bot. */
export type RosterListeners = [emit: (event: MeetingEvent) => void, onOwnLine: (text: string) => void]

/** Participants and owners of streams, updated by reports from the page. */
export interface ClientRoster {
  /** How the bot's own call ended, where the platform reported it. `left`: the page shows the reason a moment later. */
  readonly ownEnd: 'left' | 'ended' | 'removed' | 'lost' | null
  /** The published screen, which replaces a look at the page. */
  readonly screen?: Screen | null
  /** Why the bot will not be admitted, where the page publishes it. */
  refusal?(now: number): Verdict | null
  /** The platform's own sentence about the end. */
  readonly endMessage?: string | null
  /** The name of the participant who removed the bot, where the platform reported it. */
  readonly removedBy?: string | null
  receive(report: unknown, at: number): void
  /** Participants from tiles and list. */
  see(people: readonly SeenPerson[], at: number): void
  at(now: number): Attendees
}

/** The supported kinds of account. An account of another kind fails the join. */
type SignIns = {
  /** Null: the browser is signed in. */
  readonly [Kind in AccountOrders['kind']]?: (
    page: Page,
    orders: Extract<AccountOrders, { kind: Kind }>,
    signal: AbortSignal,
  ) => Promise<Verdict | null>
}
