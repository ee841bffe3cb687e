// What happens at a meeting's door and inside it, in words that fit every platform.
import type { ErrorReason } from './errors.ts'
import type { TrackKind } from './recording.ts'

export type Participant = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  readonly microphoneOn: boolean
  readonly cameraOn: boolean
}

/** The participants besides the bot. */
export type Attendees = { readonly others: readonly Participant[]; readonly at: number }

/** The same, with how long each who ever spoke has spoken, in milliseconds. */
export type Roster = Attendees & { readonly spokenMs: Readonly<Record<string, number>> }

/** `at` is milliseconds since 1970. `from` is the bot's own id for a line of its own. */
export type ChatMessage = { readonly from: string; readonly name: string; readonly text: string; readonly at: number }

/** How asking to be let in went. */
export type KnockOutcome =
  | { readonly kind: 'asked' }
  /** The meeting itself stands in the way: a wrong link, a full room, a sign-in. */
  | { readonly kind: 'blocked'; readonly reason: ErrorReason; readonly message: string }
  /** What the bot brought does not do: its account could not be signed in. */
  | { readonly kind: 'failed'; readonly reason: ErrorReason; readonly message: string }

/** Not the meeting stands in the way. */
export const NOT_THE_MEETINGS: readonly ErrorReason[] = ['LoginFailed', 'ConnectionLost', 'InternalError']

/** How waiting at the door ended. */
export type EntryOutcome =
  /** `asksToRecord`: nothing may be recorded before a `recording_permission` event allows it. The driver asks the host. */
  | { readonly kind: 'admitted'; readonly asksToRecord?: true }
  | { readonly kind: 'refused' }
  /** `isEarly`: the meeting had not started, so nobody was there to let it in. */
  | { readonly kind: 'never_admitted'; readonly isEarly?: boolean }
  /** Nobody can let it in any more. */
  | { readonly kind: 'over'; readonly reason: ErrorReason; readonly message: string }

/** Moments are milliseconds since 1970. */
export type MeetingEvent =
  | ({ readonly kind: 'people' } & Attendees)
  | ({ readonly kind: 'chat' } & ChatMessage)
  | { readonly kind: 'voice'; readonly speakers: readonly string[]; readonly at: number }
  /** Whose the tracks in the page are, whenever that changes. */
  | { readonly kind: 'tracks'; readonly tracks: readonly TrackOwner[]; readonly at: number }
  /** The platform's own captions, once they are on. */
  | ({ readonly kind: 'caption' } & Caption)
  /** What the host says to the bot's request to record. `withdrawn`: the host had allowed it before. */
  | { readonly kind: 'recording_permission'; readonly state: 'allowed' | 'denied' | 'withdrawn'; readonly at: number }
  /** The last event. `broken`: the page died or hangs, while the meeting may go on. `by`: the name of the participant who removed the bot. */
  | {
      readonly kind: 'ended'
      readonly how: 'ended' | 'removed' | 'lost' | 'broken'
      readonly by?: string
      /** What the platform says of it, in a sentence. */
      readonly message?: string
      readonly at: number
    }

/** What somebody said, as the platform heard it. Comes again under its id, with more text, until it is final. */
export type Caption = {
  readonly id: string
  readonly from: string
  readonly name: string
  readonly text: string
  readonly final: boolean
  readonly at: number
  /** When it was said, in milliseconds since 1970, where the platform tells. */
  readonly spoken?: { readonly fromMs: number; readonly toMs: number }
}

/** What a driver can name of the page's media. */
export type TrackRef =
  /** A track, by the browser's id. */
  | { readonly kind: 'track'; readonly id: string }
  /** The video tracks of a media stream. */
  | { readonly kind: 'stream'; readonly id: string }
  /** The packets of a contributing source, in whichever track they come. */
  | { readonly kind: 'csrc'; readonly csrc: number }

export type TrackOwner = { readonly track: TrackRef; readonly participantId: string; readonly kind: TrackKind }

/** For logs and keys; the name of each ref is its own, and is never read back. */
export function printTrackRef(ref: TrackRef): string {
  return `${ref.kind}:${ref.kind === 'csrc' ? ref.csrc : ref.id}`
}

/** What a bot in a meeting can be asked to do. Each is done when the bot says so. */
export type MeetingCommand =
  | { readonly kind: 'send_message'; readonly text: string }
  /** Shown as the bot's video; for good where no seconds are given. */
  | { readonly kind: 'send_image'; readonly url: string; readonly seconds: number | null }
  | { readonly kind: 'speak'; readonly text: string; readonly voice: string | null; readonly language: string | null }
  | { readonly kind: 'take_screenshot' }
  | { readonly kind: 'pause_recording' }
  | { readonly kind: 'resume_recording' }
