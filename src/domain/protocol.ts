// The protocol between the service and a worker: orders and commands to the worker, reports from it.
import type { LossReason } from './absences.ts'
import type { BotId, BotSpec, Evidence, JsonObject } from './bot.ts'
import type { ErrorReason } from './errors.ts'
import type { Trigger } from './lifecycle.ts'
import type { ChatMessage, MeetingCommand, Roster } from './meeting.ts'
import type { DriverName } from './platforms.ts'
import type { PauseChange, RecordedBefore } from './recording.ts'
import type { NativeSettings, ProviderName, SpeechSettings } from './speech-providers.ts'

/** Everything a bot needs. A worker has nothing else: no database, no environment. */
export type BotOrders = {
  readonly botId: BotId
  /** The fencing token of the claim: reports with an older one are dropped. */
  readonly fence: number
  readonly spec: BotSpec
  /** The folder of its recording and screenshots. Files of an earlier session of the bot are continued. */
  readonly folder: string
  /** For development and tests: URLs of the request may be private. */
  readonly allowPrivateUrls: boolean
  readonly customAttributes: JsonObject
  /** The greeting was posted before: a bot that rejoins does not repeat it. */
  readonly isGreeted: boolean
  /** Null: no earlier session has recorded. */
  readonly recordedBefore: RecordedBefore | null
  /** The bot joins beside its earlier session, which leaves once this one is in; null: alone. */
  readonly beside: BesideOrders | null
  /** The recogniser of live words; null: none. */
  readonly words: WordOrders | null
  /** The credentials to join with; null: as a guest. */
  readonly signIn: SignInOrders | null
  /** How the bot identifies itself to the platform as a registered bot; null: not at all. */
  readonly identity: BotIdentity | null
  /** The driver that joins. */
  readonly driver: DriverName
  /** The platform's SDK, where its driver needs one; null: not installed. */
  readonly sdkFolder: string | null
  /** The operator's page rules, which replace those of the driver; null: none. */
  readonly pageRules: JsonObject | null
  /** A text-to-speech endpoint; null: the programs on this machine. */
  readonly voice: VoiceEndpoint | null
}

/** The credentials of a driver. A driver refuses a kind that its platform does not support. */
export type SignInOrders = AccountOrders | ZoomAppOrders

/** An account that the browser signs in with. */
export type AccountOrders =
  /** The worker holds no secret of the account: the service's own page signs for it. */
  | (Account & {
      readonly kind: 'saml_session'
      readonly domain: string
      /** Opens the browser's session at the service. Valid once, for a short time. */
      readonly sessionUrl: string
    })
  | (Account & { readonly kind: 'password'; readonly password: string })

type Account = {
  readonly email: string
  /** `if_required`: join as a guest first, and sign in only when the meeting requires it. */
  readonly mode: 'always' | 'if_required'
}

/** The app that Zoom's SDK joins with. The worker never holds the app's secret. */
type ZoomAppOrders = {
  readonly kind: 'zoom_app'
  readonly sdkKey: string
  /** Signed for this meeting only, and valid for the longest stay. */
  readonly signature: string
  /** Where to fetch the token of the user for whom the bot joins; null: a guest. */
  readonly token: BotSpec['zoomToken']
}

/** `refused`: there is no token, and the bot joins without one. */
export type BotIdentity = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'refused'; readonly message: string }

/** `namesakes`: the ids of participants who have the bot's name and are not the bot. */
type BesideOrders = { readonly namesakes: readonly string[] }

type WordOrders = {
  readonly provider: ProviderName
  readonly options: JsonObject
  /** The key of this provider only. */
  readonly settings: SpeechSettings
  readonly native: NativeSettings
}

/** A text-to-speech endpoint with OpenAI's interface. */
export type VoiceEndpoint = {
  /** With its version, for example `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Empty where the endpoint needs none. */
  readonly apiKey: string
  readonly model: string
  /** The default voice. */
  readonly voice: string
  /** `pcm` is 16-bit mono at 24 kHz. */
  readonly format: 'wav' | 'pcm'
}

export type ToWorker =
  /** `holdUntilMs`: how long the worker may attend without a renewal, on the machine's monotonic clock. */
  | { readonly kind: 'attend'; readonly orders: BotOrders; readonly holdUntilMs: number }
  /** The leases of these bots are renewed. A worker leaves all other meetings when their lease expires. */
  | { readonly kind: 'hold'; readonly bots: readonly BotId[]; readonly untilMs: number }
  /** No lease could be renewed. A bot whose lease expires before the next `hold` is lost for this reason. */
  | { readonly kind: 'not_renewed'; readonly reason: Extract<LossReason, 'DatabaseUnreachable' | 'ServiceBusy'> }
  | { readonly kind: 'leave'; readonly botId: BotId; readonly message: string }
  /** Another session of the bot is about to join beside this one. */
  | { readonly kind: 'expect'; readonly botId: BotId }
  /** A repeated `commandId` is not executed again, and has the answer of the first. */
  | {
      readonly kind: 'perform'
      readonly botId: BotId
      readonly requestId: string
      readonly commandId: string
      readonly command: MeetingCommand
    }
  | { readonly kind: 'glance'; readonly botId: BotId; readonly requestId: string }

/** A report about one bot. Its fence is that of the orders. */
type OfBot = { readonly botId: BotId; readonly fence: number }

export type FromWorker =
  | (OfBot & {
      readonly kind: 'moved'
      readonly by: Trigger
      readonly at: number
      readonly message?: string
      readonly reason?: ErrorReason
    })
  /** The other participants, after each change and once at the end. */
  | (OfBot & { readonly kind: 'people'; readonly roster: Roster })
  | (OfBot & { readonly kind: 'chat'; readonly message: ChatMessage })
  /** The recording has started. */
  | (OfBot & { readonly kind: 'recording'; readonly at: number })
  | (OfBot & PauseChange & { readonly kind: 'paused' })
  /** A screenshot of the page is in the bot's folder. */
  | (OfBot & { readonly kind: 'screenshot'; readonly file: string; readonly at: number })
  /** Evidence of a failure. The screenshot is a file in the bot's folder. */
  | (OfBot & Omit<Evidence, 'at' | 'screenshot'> & { readonly kind: 'failed'; readonly screenshot: string | null; readonly at: number })
  /** The live transcription provider failed; the bot stays. */
  | (OfBot & { readonly kind: 'words_failed'; readonly message: string; readonly at: number })
  /** Figures for operators since the last report. Sent at most every second, and only if there are any. */
  | (OfBot & {
      readonly kind: 'measured'
      readonly lostFrames: Readonly<Record<'page' | 'recording', number>>
      /** The longest delay of live audio; null: there was none. */
      readonly liveAudioMs: number | null
      /** From the end of speech to the final words, of each result. */
      readonly liveWordsMs: readonly number[]
    })
  /** The greeting was posted. */
  | (OfBot & { readonly kind: 'greeted'; readonly at: number })
  /** Sent every second: these bots have a live session. `isStarved`: one of their pages is silent because it waits for a CPU. */
  | { readonly kind: 'alive'; readonly bots: readonly BotId[]; readonly isStarved: boolean }
  /** The seat is free again. No further reports of this bot follow. */
  | (OfBot & { readonly kind: 'finished' })
  /** The same, but the meeting may go on: the bot lost its session and will rejoin. */
  | (OfBot & { readonly kind: 'lost'; readonly reason: LossReason; readonly at: number })
  | { readonly kind: 'performed'; readonly requestId: string; readonly problem: CommandProblem | null }
  /** Null: the bot is not in this worker. */
  | { readonly kind: 'glanced'; readonly requestId: string; readonly glance: Glance | null }

/** The meeting at this moment, for a viewer of the dashboard. */
export type Glance = {
  /** The other participants; 0 is silence, 1 the loudest sound. Empty while nothing is recorded. */
  readonly levels: readonly { readonly speakerId: string; readonly name: string; readonly level: number }[]
  /** The last transcribed lines, where the bot has live transcription. Ids increase. */
  readonly lines: readonly {
    readonly id: number
    readonly speakerId: string
    readonly name: string
    readonly text: string
    readonly at: number
  }[]
}

/** A line for the service's log, without speech, names and links. */
export type WorkerLog = {
  readonly kind: 'log'
  readonly level: 'info' | 'warn' | 'error'
  readonly botId: BotId | null
  /** Constant for each event. Variable parts go into the detail. */
  readonly message: string
  readonly detail?: string
}

/** How long an executed command is remembered by its id. */
export const COMMAND_KEPT_MS = 60_000

/** `request`: the request can never succeed. `bot`: this bot could not execute it. */
export type CommandProblem = { readonly fault: 'request' | 'bot'; readonly code: string; readonly message: string }

const UNREACHABLE = 'bot_unreachable'

/** The problem of a bot that does not answer. */
export function unreachable(message: string): CommandProblem {
  return { fault: 'bot', code: UNREACHABLE, message }
}

/** False: the bot did not answer, and may still execute the command. */
export function isAnswer(problem: CommandProblem | null): boolean {
  return problem?.code !== UNREACHABLE
}
