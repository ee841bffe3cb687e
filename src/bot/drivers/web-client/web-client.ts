// What the kit must know of a platform's web client: its tables, what of its traffic is read, and how.
import type { BrowserContext, Page } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { Attendees, MeetingEvent } from '../../../domain/meeting.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import type { DriverProfile } from '../driver.ts'
import type { SeenPerson } from './facts.ts'
import type { DoorSign, Readers } from './messages.ts'
import type { Verdict } from './patience.ts'
import type { PlatformTables, Screen } from './tables.ts'

/** What the page's listeners read of the client's own traffic. Each is reported under its kind. */
type Listened = {
  /** Data channels, by their label, which is the kind. */
  readonly channels: readonly string[]
  /** Answers to the page's `fetch` whose bodies are base64, by a part of their address. */
  readonly answers: Readonly<Record<string, string>>
  /** Answers in text to the page's `fetch` or XMLHttpRequest, by a part of their address. */
  readonly texts?: Readonly<Record<string, string>>
  /** Text frames of web sockets, by a part of their address. */
  readonly sockets?: Readonly<Record<string, string>>
  /** What the page itself sends on data channels: the kind, by their label. */
  readonly sent?: Readonly<Record<string, string>>
  /** The data of events that reach bound functions, by the name of the function. */
  readonly bound?: Readonly<Record<string, string>>
  /** The kind under which descriptions of the other side are reported. */
  readonly description?: string
  /** Calls may have sound in which nothing names the speaker. Captions are then turned on, which participants can see. */
  readonly unnamedSound?: true
}

export type WebClient = {
  /** For messages: "Google Meet could not be reached". */
  readonly label: string
  /** A page of the platform that is always there; null where there is no such place. */
  readonly home: string | null
  readonly profile: DriverProfile
  readonly tables: PlatformTables
  readonly addressOf: (spec: BotSpec) => URL
  /** Where that address itself asks to be let in, one that only shows the door. */
  readonly doorOf?: (spec: BotSpec) => URL
  /** HTTP statuses with which the platform answers a link that is wrong. */
  readonly wrongLinkStatuses?: readonly number[]
  /** Where the tab goes instead of staying on a page to which the link has led; null: it stays. */
  readonly passBy?: (url: string, spec: BotSpec, isSignedIn: boolean) => URL | null
  /** Other places than the link's own where the platform may take the bot. */
  readonly origins?: readonly string[]
  /** As long as the platform's fields take. */
  readonly longestName: number
  readonly longestChatLine: number
  /** A part of the address that answers the request to join; null where no request does. */
  readonly joinRequest: string | null
  /** Null: nothing of its traffic is read. */
  readonly listens: Listened | null
  /** What helps where the platform takes the browser for suspicious. */
  readonly suspicionHelp?: string
  /** Decodes reports that are about the request to join, by their kind. Null: they say nothing of it. */
  readonly doorReaders?: Readonly<Record<string, (bytes: Uint8Array) => DoorSign | null>>
  /** Decodes what the listeners report, by its kind. One set for each meeting: they may remember what came before. */
  readonly createReaders: (own: OwnEntry) => Readers
  /** Expressions whose values, as JSON, are reported once a second in the call, by their kind. */
  readonly globals?: Readonly<Record<string, string>>
  /** Captions by the client's own code, where it can be reached. */
  readonly captions?: CaptionScript
  /** After so long without a movement of the mouse the client takes its tab for idle; absent where it does not. */
  readonly idleAfterMs?: number
  readonly signIns: SignIns
  /** The host must allow the recording: the page asks, and reports the answer. */
  readonly asksToRecord?: true
  /** The client's own functions, where they can be reached, in place of its buttons. */
  readonly calls?: ClientCalls
  /** Where the page itself publishes the state of the meeting, that is read instead of its traffic. */
  readonly published?: {
    /** Before the page is opened. */
    readonly follow: (context: BrowserContext, report: (report: unknown) => void) => Promise<void>
    readonly createRoster: (...listeners: RosterListeners) => ClientRoster
  }
}

/** Expressions. Their value is null, or a sentence that says why it could not be done. */
type ClientCalls = { readonly write: (line: string) => string; readonly leave: string }

/** Expressions. Languages are those of an order, such as `de` or `en-US`. */
export type CaptionScript = {
  /** Turns captions on. Its value is true where it could. */
  readonly begin: (language: string | null) => string
  /** Sets the language again where the client has forgotten it. */
  readonly keep: (language: string) => string
}

/** What is known of the bot's own entry in a roster. */
export type OwnEntry = { readonly name: string }

/** `emit`: what happens in the meeting. `onOwnLine`: the chat has taken a line of the bot's. */
export type RosterListeners = [emit: (event: MeetingEvent) => void, onOwnLine: (text: string) => void]

/** Participants and owners of streams, kept up to date by reports from the page. */
export interface ClientRoster {
  /** How the bot's own stay ended, where the platform said so. `left`: the page says why, a moment later. */
  readonly ownEnd: 'left' | 'ended' | 'removed' | 'lost' | null
  /** Where the bot is, as long as the page publishes that: then nobody has to look. */
  readonly screen?: Screen | null
  /** Why the bot will not get in, where the page publishes that. */
  refusal?(now: number): Verdict | null
  /** What the platform says of the end besides `ownEnd`, in a sentence. */
  readonly endMessage?: string | null
  /** The name of the participant who removed the bot, where the platform said so. */
  readonly removedBy?: string | null
  receive(report: unknown, at: number): void
  /** What tiles and list show. */
  see(people: readonly SeenPerson[], at: number): void
  at(now: number): Attendees
}

/** The kinds of account that the platform takes. An account of another kind ends the join. */
type SignIns = {
  /** Null: the browser is the account now. */
  readonly [Kind in AccountOrders['kind']]?: (
    page: Page,
    orders: Extract<AccountOrders, { kind: Kind }>,
    signal: AbortSignal,
  ) => Promise<Verdict | null>
}
