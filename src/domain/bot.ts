// A bot: what was asked for (every field of create_bot, after defaults) and what is known of it.
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

export type RealtimeEndpoint = { readonly type: 'webhook' | 'websocket'; readonly url: string; readonly events: readonly EventName[] }

/** A signed-in join: which of the workspace's login domains, and which of its accounts. */
export type SignIn = {
  readonly platform: 'google_meet' | 'teams'
  readonly domain: string
  readonly email: string | null
  /** That account or none. */
  readonly strict: boolean
  /** True: joins with the account. False: as a guest first, and signs in when the meeting asks for it. Null: as the domain says. */
  readonly required: boolean | null
}

/** Everything a bot needs to know to attend, with every default filled in. */
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
  /** Null: as long as the workspace keeps media. */
  readonly retentionHours: number | null
  readonly zoomToken: { readonly kind: 'zak' | 'obf'; readonly url: string } | null
  readonly signIn: SignIn | null
}

export type TimelineEntry = { readonly status: true; readonly timestamp: string; readonly message: string }
export type Timeline = { readonly [stage: string]: TimelineEntry }

/** What failed, where, and what the page said: kept for every failure. */
export type Evidence = {
  readonly at: string
  readonly step: string
  readonly message: string
  /** Stable for clients; where none is kept, the step says it. */
  readonly code?: string
  readonly pageText: string | null
  /** Errors of the page's own code and lines of its console in the minute before. */
  readonly pageLog?: readonly string[]
  /** Its key in the store. */
  readonly screenshot?: string | null
}

/** What a bot brought back. */
export type Delivered = {
  readonly audio_seconds: number
  readonly video_seconds: number
  /** Files of single participants. */
  readonly segments: number
  readonly words: number
  /** How long anybody was heard. */
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
  /** When the caller wants it in the meeting; null for an immediate bot. */
  readonly joinAt: Date | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly customAttributes: JsonObject
  readonly deduplicationKey: string | null
  readonly callbackUrl: string | null
  readonly transcriptId: string | null
  readonly timeline: Timeline
  readonly evidence: readonly Evidence[]
  /** Nothing that was stored of it can be read any more. */
  readonly isErased: boolean
  /** The request as it came, without secrets. */
  readonly request: JsonObject
  readonly spec: BotSpec
  readonly loginId: LoginId | null
  /** Null until what was recorded has been worked through. */
  readonly delivered: Delivered | null
}
