// The wire between the two programs while bots run: orders and wishes to a host, reports from it.
import type { LossReason } from './absences.ts'
import type { BotId, BotSpec, JsonObject } from './bot.ts'
import type { ErrorReason } from './errors.ts'
import type { Trigger } from './lifecycle.ts'
import type { ChatMessage, MeetingCommand, Roster } from './meeting.ts'
import type { NativeSettings, ProviderName, SpeechSettings } from './speech-providers.ts'

/** Everything a bot needs to attend. A host has nothing else: no database, no environment. */
export type BotOrders = {
  readonly botId: BotId
  /** Of the claim: a report of an older one changes nothing. */
  readonly fence: number
  readonly spec: BotSpec
  /** Where its recording and its screenshots go. A folder that holds an earlier life of the bot is gone on with. */
  readonly folder: string
  /** For development and tests: URLs of the request may lead to this machine. */
  readonly allowPrivateUrls: boolean
  readonly customAttributes: JsonObject
  /** Its greeting was posted before: a bot that comes back does not repeat it. */
  readonly isGreeted: boolean
  /** Who listens while the meeting runs, if anybody does. */
  readonly words: WordOrders | null
  /** What it joins with; null: as a guest. */
  readonly signIn: SignInOrders | null
  /** The platform's own SDK, where its driver needs one; null: none is installed. */
  readonly sdkFolder: string | null
  /** Rows that replace those of the driver's own tables; null: none. */
  readonly tables: JsonObject | null
  /** An endpoint that speaks for bots; null where the machine's own programs do. */
  readonly voice: VoiceEndpoint | null
}

/** What a driver joins with. A driver refuses a kind that its platform does not take. */
export type SignInOrders = AccountOrders | ZoomAppOrders

/** An account that the browser signs in as. */
export type AccountOrders =
  /** The host holds no secret of the account: the service's own page signs for it. */
  | (Account & {
      readonly kind: 'saml_session'
      readonly domain: string
      /** Opens the browser's session at the service; good once, and for a short while. */
      readonly sessionUrl: string
    })
  | (Account & { readonly kind: 'password'; readonly password: string })

type Account = {
  readonly email: string
  /** `if_required`: join as a guest first, and sign in only when the meeting asks for it. */
  readonly mode: 'always' | 'if_required'
}

/** The app that Zoom's SDK joins by. The host never holds the app's secret. */
type ZoomAppOrders = {
  readonly kind: 'zoom_app'
  readonly sdkKey: string
  /** Signed for this meeting alone, and good for the longest stay. */
  readonly signature: string
  /** Where the token of the user comes from for whom the bot joins; null: a guest. */
  readonly token: BotSpec['zoomToken']
}

type WordOrders = {
  readonly provider: ProviderName
  readonly options: JsonObject
  /** The key of this provider, and of no other. */
  readonly settings: SpeechSettings
  readonly native: NativeSettings
}

/** A speech endpoint of OpenAI's shape. */
export type VoiceEndpoint = {
  /** With its version, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Empty where the endpoint asks for none. */
  readonly apiKey: string
  readonly model: string
  /** For whoever names none. */
  readonly voice: string
  /** `pcm` is 16-bit mono at 24 kHz. */
  readonly format: 'wav' | 'pcm'
}

export type ToHost =
  /** `holdUntilMs`: until when the host may attend without a renewal, on the machine's monotonic clock. */
  | { readonly kind: 'attend'; readonly orders: BotOrders; readonly holdUntilMs: number }
  /** The claims on these bots were renewed. A host leaves the meetings of all others when their time is over. */
  | { readonly kind: 'hold'; readonly bots: readonly BotId[]; readonly untilMs: number }
  | { readonly kind: 'leave'; readonly botId: BotId; readonly message: string }
  | { readonly kind: 'perform'; readonly botId: BotId; readonly requestId: string; readonly command: MeetingCommand }
  | { readonly kind: 'glance'; readonly botId: BotId; readonly requestId: string }

export type FromHost =
  | {
      readonly kind: 'moved'
      readonly botId: BotId
      readonly fence: number
      readonly by: Trigger
      readonly at: number
      readonly message?: string
      readonly reason?: ErrorReason
    }
  /** Everybody else in the meeting, whenever that changes and once at the end. */
  | { readonly kind: 'people'; readonly botId: BotId; readonly fence: number; readonly roster: Roster }
  | { readonly kind: 'chat'; readonly botId: BotId; readonly fence: number; readonly message: ChatMessage }
  /** From now on the meeting is recorded. */
  | { readonly kind: 'recording'; readonly botId: BotId; readonly fence: number; readonly at: number }
  /** A picture of the page lies in the bot's folder. */
  | { readonly kind: 'screenshot'; readonly botId: BotId; readonly fence: number; readonly file: string; readonly at: number }
  /** What failed and what the page said, kept as evidence; the picture is a file in the bot's folder. */
  | {
      readonly kind: 'failed'
      readonly botId: BotId
      readonly fence: number
      readonly step: string
      readonly message: string
      readonly code?: string
      readonly pageText: string | null
      readonly pageLog?: readonly string[]
      readonly screenshot: string | null
      readonly at: number
    }
  /** The provider of live words failed; the bot stays. */
  | { readonly kind: 'words_failed'; readonly botId: BotId; readonly fence: number; readonly message: string; readonly at: number }
  /** The greeting was posted. */
  | { readonly kind: 'greeted'; readonly botId: BotId; readonly fence: number; readonly at: number }
  /** Sent every second: these bots have a live session. */
  | { readonly kind: 'alive'; readonly bots: readonly BotId[] }
  /** The seat is free again. Nothing more comes of this bot. */
  | { readonly kind: 'finished'; readonly botId: BotId; readonly fence: number }
  /** The same, but the meeting may go on: the bot lost its session, and is sent again. */
  | { readonly kind: 'lost'; readonly botId: BotId; readonly fence: number; readonly reason: LossReason; readonly at: number }
  | { readonly kind: 'performed'; readonly requestId: string; readonly problem: CommandProblem | null }
  /** Null: the bot is not in this host. */
  | { readonly kind: 'glanced'; readonly requestId: string; readonly glance: Glance | null }

/** What somebody who watches the bot sees and hears of its meeting at this moment. */
export type Glance = {
  /** Everybody else in the meeting; 0 is silence, 1 the loudest sound. Empty while nothing is recorded. */
  readonly levels: readonly { readonly speakerId: string; readonly name: string; readonly level: number }[]
  /** The last things said, where the bot has live words; ids count up. */
  readonly lines: readonly {
    readonly id: number
    readonly speakerId: string
    readonly name: string
    readonly text: string
    readonly at: number
  }[]
}

/** A line for the service's log. It holds no speech, no names and no links. */
export type HostLog = {
  readonly kind: 'log'
  readonly level: 'info' | 'warn' | 'error'
  readonly botId: BotId | null
  /** The same for every such event; what differs is the detail. */
  readonly message: string
  readonly detail?: string
}

/** `request`: what was asked for cannot be done by anybody. `bot`: this bot did not do it. */
export type CommandProblem = { readonly fault: 'request' | 'bot'; readonly code: string; readonly message: string }

/** The problem of a bot that does not answer. */
export function unreachable(message: string): CommandProblem {
  return { fault: 'bot', code: 'bot_unreachable', message }
}
