// A platform's client in the browser: a core that every platform has, and capabilities that it has or lacks as a whole.
import type { Page } from 'playwright-core'
import type { BotSpec } from '../../../domain/bot.ts'
import type { Attendees, MeetingEvent } from '../../../domain/meeting.ts'
import type { AccountOrders } from '../../../domain/protocol.ts'
import type { DriverProfile } from '../driver.ts'
import type { SeenPerson } from './facts.ts'
import type { DoorSign, Readers } from './messages.ts'
import type { PageRules, Screen } from './page-rules.ts'
import type { Verdict } from './patience.ts'

export type MeetingClient = {
  /** For messages: "Google Meet could not be reached". */
  readonly label: string
  /** A page of the platform that always exists; null where there is none. */
  readonly home: string | null
  readonly profile: DriverProfile
  readonly pageRules: PageRules
  readonly addressOf: (spec: BotSpec, purpose: Purpose) => URL
  /** The limits of the platform's fields. */
  readonly longestName: number
  readonly longestChatLine: number

  /** The link redirects before the client opens. */
  readonly redirects?: Redirects
  /** The bot can sign in. An account of a kind that is missing here fails the join. */
  readonly signIn?: SignIn
  /** The platform knows registered bots by a token. Returns the address with it. */
  readonly identified?: (address: URL, token: string) => URL
  /** The platform's own answer to the request to join can be read. */
  readonly joinRequest?: JoinRequest
  /** The state of the meeting is read from the client's own traffic. */
  readonly traffic?: Traffic
  /** The page publishes the state of the meeting, which is read instead of traffic. */
  readonly published?: Published
  /** The client's own functions write and leave, instead of its buttons. */
  readonly functions?: ClientFunctions
  /** The client's own functions turn captions on, where they can be reached. Otherwise its buttons do. */
  readonly captions?: Captions
}

/** Why the page is opened. `look`: to see the entry page, without asking to join. `live`: to send audio or words while the meeting runs. */
export type Purpose = 'look' | 'record' | 'live'

type Redirects = {
  /** Origins of the platform besides the link's own. */
  readonly origins: readonly string[]
  /** HTTP statuses for a wrong link. */
  readonly wrongLinkStatuses: readonly number[]
  /** Returns the URL to open instead of the current page, or null to stay. */
  readonly passBy: (url: string, spec: BotSpec, isSignedIn: boolean) => URL | null
}

/** Each kind of account signs the browser in. It returns null on success, otherwise the verdict. */
type SignIn = {
  readonly [Kind in AccountOrders['kind']]?: (
    page: Page,
    orders: Extract<AccountOrders, { kind: Kind }>,
    signal: AbortSignal,
  ) => Promise<Verdict | null>
}

export type JoinRequest = {
  /** A part of the request's URL. */
  readonly url: string
  /** Decode reports of the listeners about the request, by kind. They return null for any other report. */
  readonly readers: Readonly<Record<string, (bytes: Uint8Array) => DoorSign | null>>
  /** Advice for a browser that the platform treats as suspicious. */
  readonly suspicionHelp: string
}

export type Traffic = {
  readonly listensTo: Listened
  /** Decode reports of the listeners, by kind. Readers have state, so each meeting has its own. */
  readonly createReaders: (own: OwnEntry) => Readers
  /** Expressions whose values are reported as JSON once a second in the call, by kind. */
  readonly globals?: Readonly<Record<string, string>>
  /** The client stops its updates after this long without mouse movement. */
  readonly idleAfterMs?: number
}

/** What the page's listeners report, each under its kind. */
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
  /** Some calls have audio that names no speaker. The dominant speaker is then believed, or captions are turned on, which participants can see. */
  readonly unnamedSound?: true
}

type Published = {
  /** Scripts for the page, called before it is opened. They report by the hidden function of this name. */
  readonly scripts: (reports: string) => readonly string[]
  readonly createRoster: (...listeners: RosterListeners) => ClientRoster
  /** The host must allow the recording. The page asks and publishes the answer. */
  readonly asksToRecord?: true
}

/** Expressions. They return null, or a sentence about the problem. */
type ClientFunctions = { readonly write: (line: string) => string; readonly leave: string }

/** Expressions. Languages are those of a request, such as `de` or `en-US`. */
type Captions = {
  /** Turns captions on. Returns true on success. */
  readonly begin: (language: string | null) => string
  /** Sets the language again where the client has reset it. */
  readonly keep: (language: string) => string
}

/** The bot's own entry in a roster. */
export type OwnEntry = { readonly name: string }

/** `emit`: an event of the meeting. `onOwnLine`: the chat has accepted a message of the bot. */
export type RosterListeners = [emit: (event: MeetingEvent) => void, onOwnLine: (text: string) => void]

/** `name`: null for the main meeting, empty for a breakout room without a name. */
export type ReportedRoom = { readonly name: string | null; readonly sinceMs: number }

/** Participants and owners of streams, updated by reports from the page. */
export interface ClientRoster {
  /** How the bot's own call ended, where the platform reported it. `left`: the page shows the reason a moment later. */
  readonly ownEnd: 'left' | 'ended' | 'removed' | 'lost' | null
  /** The published screen, which replaces a look at the page. */
  readonly screen?: Screen | null
  /** Where the bot was last moved; null where the platform has reported no move. */
  readonly room?: ReportedRoom | null
  /** Why the bot will not be admitted, where the page publishes it. */
  refusal?(now: number): Verdict | null
  /** Only captions can name the speakers of this call. */
  readonly needsCaptions?: boolean
  /** The platform's own sentence about the end. */
  readonly endMessage?: string | null
  /** The name of the participant who removed the bot, where the platform reported it. */
  readonly removedBy?: string | null
  receive(report: unknown, at: number): void
  /** Participants from tiles and list. `isInRoom`: the page shows a breakout room. */
  see(people: readonly SeenPerson[], at: number, isInRoom: boolean): void
  at(now: number): Attendees
}
