// What happens at a meeting's door and inside it, in words that fit every platform.
import type { ErrorReason } from './errors.ts'

export type Participant = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  readonly microphoneOn: boolean
  readonly cameraOn: boolean
}

/** Everybody else who is there, and how long each who ever spoke has spoken, in milliseconds. */
export type Roster = { readonly others: readonly Participant[]; readonly spokenMs: Readonly<Record<string, number>>; readonly at: number }

/** `at` is milliseconds since 1970. */
export type ChatMessage = { readonly from: string; readonly name: string; readonly text: string; readonly at: number }

/** How asking to be let in went. */
export type KnockOutcome =
  | { readonly kind: 'asked' }
  /** The meeting itself stands in the way: a wrong link, a full room, a sign-in. */
  | { readonly kind: 'blocked'; readonly reason: ErrorReason; readonly message: string }

/** How waiting at the door ended. */
export type EntryOutcome =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'never_admitted' }
  | { readonly kind: 'over'; readonly message: string }

/** Moments are milliseconds since 1970. */
export type MeetingEvent =
  | ({ readonly kind: 'people' } & Roster)
  | ({ readonly kind: 'chat' } & ChatMessage)
  | { readonly kind: 'voice'; readonly speakers: readonly string[]; readonly at: number }
  /** Somebody's audio or video has come in since the last time. */
  | { readonly kind: 'media'; readonly at: number }
  /** The last event. */
  | { readonly kind: 'ended'; readonly how: 'ended' | 'removed' | 'lost'; readonly at: number }

export type MeetingCommand = { readonly kind: 'send_message'; readonly text: string }
