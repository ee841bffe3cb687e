// Messages of the platforms' own protocols, in one form. Absent fields are unknown, not empty.
import type { Caption } from '../../../domain/meeting.ts'

export type UserUpdate = {
  readonly id: string
  readonly name: string | null
  /** Null: unchanged. */
  readonly presence: 'here' | 'left' | 'removed' | null
  /** The bot itself. */
  readonly isSelf: boolean
  /** The presenter of this screen share; null for a participant. */
  readonly parentId: string | null
  readonly isHost: boolean | null
}

export type StreamUpdate = {
  readonly userId: string
  readonly kind: 'audio' | 'video'
  /** For audio, the contributing source in digits or the browser's track id. Null while it is not received: a camera without a place. */
  readonly streamId: string | null
  readonly disabled: boolean
}

export type ChatLine = {
  readonly id: string
  readonly userId: string
  /** Sent by some platforms, because the writer may have left. */
  readonly name?: string
  readonly text: string
}

/** Names the speaker by user, by audio stream, or by both. */
export type SpeakingUpdate = { readonly userId: string | null; readonly streamId?: string; readonly speaks: boolean }

export type CaptionLine = Pick<Caption, 'id' | 'final' | 'text' | 'spoken'> & { readonly userId: string; readonly version: number }

/** The platform's signal about the request to join. */
export type DoorSign = {
  /** `limited`: further requests are not answered. `suspected`: the platform treats the browser as suspicious. */
  readonly sign: 'limited' | 'suspected'
  /** For evidence. */
  readonly detail: string
}

type Changes = {
  readonly kind: 'changes'
  readonly users: readonly UserUpdate[]
  readonly streams: readonly StreamUpdate[]
  readonly chat: readonly ChatLine[]
}

export const changes = (parts: Partial<Changes>): Changes => ({ kind: 'changes', users: [], streams: [], chat: [], ...parts })

export type ClientMessage =
  | Changes
  /** The complete list of users. */
  | { readonly kind: 'everybody'; readonly users: readonly UserUpdate[] }
  /** The bot's call is over. `by`: the name of the participant who ended it. */
  | { readonly kind: 'ended'; readonly cause: 'left' | 'ended' | 'removed'; readonly by: string | null }
  /** The bot is in another call. Null: that of the main meeting; empty: a breakout room whose name the message lacks. */
  | { readonly kind: 'room'; readonly name: string | null }
  | { readonly kind: 'caption'; readonly caption: CaptionLine }
  /** Speaking states from the platform. */
  | { readonly kind: 'speaking'; readonly users: readonly SpeakingUpdate[] }
  /** The dominant speaker, by audio source. It stays in silence. */
  | { readonly kind: 'dominant'; readonly streamId: string }
  /** The mixed audio has been audible or silent for so long. */
  | { readonly kind: 'sound'; readonly isAudible: boolean; readonly agoMs: number }
  /** The contributing sources with voice. */
  | { readonly kind: 'voice'; readonly sources: readonly number[] }

/** Decodes reports of one kind. Null or empty: not a message of the platform. */
type Reader = (bytes: Uint8Array) => ClientMessage | readonly ClientMessage[] | null
export type Readers = Readonly<Record<string, Reader>>
