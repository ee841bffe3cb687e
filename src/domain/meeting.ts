// Joining a meeting, its events and its commands, in one form for all platforms.
import type { ErrorReason } from './errors.ts'
import type { TrackKind } from './recording.ts'

export type Participant = {
  readonly id: string
  readonly name: string
  readonly isHost: boolean
  readonly microphoneOn: boolean
  readonly cameraOn: boolean
}

/**
 * What names a participant as the owner of their audio, with its published kind. `list`, `record` and `page` name the contributing source of the
 * packets: the platform's list of streams, its records of who speaks, and the page's tiles. `track`: the list names a track that is the participant's
 * own. Where audio has no owner, `platform` (the platform's messages about speakers) and `captions` name the speaker of turns and words.
 * `contradicted`: sources name different owners, so there is none.
 */
export const ATTRIBUTIONS = {
  list: 'csrc',
  record: 'csrc',
  page: 'csrc',
  track: 'platform',
  platform: 'platform',
  captions: 'captions',
  contradicted: 'unknown',
} as const satisfies Readonly<Record<string, 'csrc' | 'platform' | 'captions' | 'unknown'>>

export type Attribution = keyof typeof ATTRIBUTIONS

/** The participants besides the bot. `attributions`: by participant, as far as they are known. */
export type Attendees = {
  readonly others: readonly Participant[]
  readonly attributions?: Readonly<Record<string, Attribution>>
  readonly at: number
}

/** The same, with the speaking time of each speaker in milliseconds. */
export type Roster = Attendees & { readonly spokenMs: Readonly<Record<string, number>> }

/** `at` is milliseconds since 1970. `from` is the bot's own id for its own messages. */
export type ChatMessage = { readonly from: string; readonly name: string; readonly text: string; readonly at: number }

/** The outcome of asking to join. */
export type KnockOutcome =
  | { readonly kind: 'asked' }
  /** The meeting prevents the join: a wrong link, a full meeting, a required sign-in. */
  | { readonly kind: 'blocked'; readonly reason: ErrorReason; readonly message: string }
  /** The bot's own side failed: its account could not be signed in. */
  | { readonly kind: 'failed'; readonly reason: ErrorReason; readonly message: string }

/** Reasons that are not the meeting's. */
export const NOT_THE_MEETINGS: readonly ErrorReason[] = ['LoginFailed', 'ConnectionLost', 'InternalError']

/** The outcome of waiting for admission. */
export type EntryOutcome =
  /** `asksToRecord`: recording starts only after a `recording_permission` event. The driver asks the host. */
  | { readonly kind: 'admitted'; readonly asksToRecord?: true }
  | { readonly kind: 'refused' }
  /** `isEarly`: the meeting had not started, so no host could admit the bot. */
  | { readonly kind: 'never_admitted'; readonly isEarly?: boolean }
  /** Admission is no longer possible. */
  | { readonly kind: 'over'; readonly reason: ErrorReason; readonly message: string }

/** Times are milliseconds since 1970. */
export type MeetingEvent =
  | ({ readonly kind: 'people' } & Attendees)
  | ({ readonly kind: 'chat' } & ChatMessage)
  | { readonly kind: 'voice'; readonly speakers: readonly string[]; readonly at: number }
  /** The owners of the page's tracks, after each change. */
  | { readonly kind: 'tracks'; readonly tracks: readonly TrackOwner[]; readonly at: number }
  /** The platform's own captions, once they are on. */
  | ({ readonly kind: 'caption' } & Caption)
  /** The participant spoke alone, in milliseconds since 1970, where no packet says so. */
  | { readonly kind: 'spoken'; readonly from: string; readonly spoken: NonNullable<Caption['spoken']> }
  /** The bot was moved into this breakout room. Null: back into the main meeting. */
  | { readonly kind: 'room'; readonly name: string | null; readonly at: number }
  /** The driver failed at something, and the bot stays. For evidence. */
  | { readonly kind: 'problem'; readonly step: string; readonly message: string; readonly at: number }
  /** The host's answer to the bot's request to record. `withdrawn`: after it was allowed. */
  | { readonly kind: 'recording_permission'; readonly state: 'allowed' | 'denied' | 'withdrawn'; readonly at: number }
  /** The last event. `broken`: the page died or hangs, while the meeting may go on. `stuck`: it did not finish a move between rooms. `by`: the name of the participant who removed the bot. */
  | {
      readonly kind: 'ended'
      readonly cause: 'ended' | 'removed' | 'lost' | 'broken' | 'stuck'
      readonly by?: string
      /** The platform's own reason, in a sentence. */
      readonly message?: string
      readonly at: number
    }

/** A caption of the platform. Updates reuse its id until it is final. */
export type Caption = {
  readonly id: string
  readonly from: string
  readonly name: string
  readonly text: string
  readonly final: boolean
  readonly at: number
  /** The time of the speech, in milliseconds since 1970, where the platform sends it. */
  readonly spoken?: { readonly fromMs: number; readonly toMs: number }
}

/** A reference to media of the page. */
export type TrackRef =
  /** A track, by the browser's id. */
  | { readonly kind: 'track'; readonly id: string }
  /** The video tracks of a media stream. */
  | { readonly kind: 'stream'; readonly id: string }
  /** The packets of a contributing source, in any track. */
  | { readonly kind: 'csrc'; readonly csrc: number }

export type TrackOwner = { readonly track: TrackRef; readonly participantId: string; readonly kind: TrackKind }

/** For logs and map keys. It is unique for each reference and never parsed. */
export function printTrackRef(ref: TrackRef): string {
  return `${ref.kind}:${ref.kind === 'csrc' ? ref.csrc : ref.id}`
}

/** The commands of a bot in a meeting. The bot answers each when it is done. */
export type MeetingCommand =
  | { readonly kind: 'send_message'; readonly text: string }
  /** Shown as the bot's video; without seconds, until the bot leaves. */
  | { readonly kind: 'send_image'; readonly url: string; readonly seconds: number | null }
  | { readonly kind: 'speak'; readonly text: string; readonly voice: string | null; readonly language: string | null }
  | { readonly kind: 'take_screenshot' }
  | { readonly kind: 'pause_recording' }
  | { readonly kind: 'resume_recording' }
