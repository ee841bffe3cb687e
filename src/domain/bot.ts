// A bot: its specification (every field of create_bot, after defaults) and its recorded state.
import type { EventName } from './announcements.ts'
import type { LeaveRules } from './automatic-leave.ts'
import type { ErrorReason } from './errors.ts'
import type { Status } from './lifecycle.ts'
import type { MeetingLink } from './meeting-link.ts'
import type { Platform, VideoLayout } from './platforms.ts'
import type { ProviderName } from './speech-providers.ts'

declare const kind: unique symbol
type Branded<Kind extends string> = string & { readonly [kind]: Kind }

export type BotId = Branded<'bot'>
export type WorkspaceId = Branded<'workspace'>
export type UserId = Branded<'user'>
export type PersonId = Branded<'person'>
export type LoginId = Branded<'login'>
export type ConnectionId = Branded<'connection'>
export type CalendarId = Branded<'calendar'>

export type JsonObject = { readonly [key: string]: unknown }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type RealtimeEndpoint = { readonly type: 'webhook' | 'websocket'; readonly url: string; readonly events: readonly EventName[] }

/** A signed-in join: the workspace's login domain, and the account in it. */
export type SignIn = {
  readonly platform: 'google_meet' | 'teams'
  readonly domain: string
  readonly email: string | null
  /** Only this account. */
  readonly strict: boolean
  /** True: always sign in. False: join as a guest, and sign in when the meeting requires it. Null: the setting of the login domain. */
  readonly required: boolean | null
}

/** Everything a bot needs for its meeting, with all defaults filled in. */
export type BotSpec = {
  readonly name: string
  readonly meeting: MeetingLink
  readonly audio: boolean
  readonly video: boolean
  readonly layout: VideoLayout
  readonly separateAudio: boolean
  readonly separateVideo: boolean
  readonly greeting: string | null
  readonly imageUrl: string | null
  readonly initialAudioUrl: string | null
  readonly leave: LeaveRules
  readonly transcript: { readonly provider: ProviderName; readonly options: JsonObject }
  readonly liveWords: { readonly kind: 'webhook' | 'websocket'; readonly url: string } | null
  readonly liveAudioUrl: string | null
  readonly controlUrl: string | null
  readonly realtime: readonly RealtimeEndpoint[]
  /** Null: the retention of the workspace. */
  readonly retentionHours: number | null
  readonly zoomToken: { readonly kind: 'zak' | 'obf'; readonly url: string } | null
  readonly signIn: SignIn | null
}

export type TimelineEntry = { readonly status: true; readonly timestamp: string; readonly message: string }
export type Timeline = { readonly [stage: string]: TimelineEntry }

/** Evidence of a failure: the step, the error, and the page at that moment. */
export type Evidence = {
  readonly at: string
  readonly step: string
  readonly message: string
  /** Stable for clients. Without one, clients use the step. */
  readonly code?: string
  readonly pageText: string | null
  /** Errors and console lines of the page in the minute before. */
  readonly pageLog?: readonly string[]
  /** Its key in the media storage. */
  readonly screenshot?: string | null
}

/** The media of a finished bot. */
export type Delivered = {
  readonly audio_seconds: number
  readonly video_seconds: number
  /** Files of single participants. */
  readonly segments: number
  readonly words: number
  /** The total speaking time of all participants. */
  readonly heard_seconds: number
}

export type Bot = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly status: Status
  readonly message: string
  readonly errorReason: ErrorReason | null
  readonly name: string
  readonly meetingUrl: string
  readonly createdAt: Date
  /** The requested join time; null for an immediate bot. */
  readonly joinAt: Date | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly customAttributes: JsonObject
  readonly deduplicationKey: string | null
  readonly callbackUrl: string | null
  readonly transcriptId: string | null
  readonly timeline: Timeline
  readonly evidence: readonly Evidence[]
  /** No stored data of the bot can be read any more. */
  readonly isErased: boolean
  /** The request as received, without secrets. */
  readonly request: JsonObject
  readonly spec: BotSpec
  readonly loginId: LoginId | null
  /** Null until the recording has been processed. */
  readonly delivered: Delivered | null
}
