// What a platform says in its own protocol, in words that fit every platform. Absent fields are not known, which does not mean empty.

export type UserUpdate = {
  readonly id: string
  readonly name: string | null
  /** Null: as before. */
  readonly presence: 'here' | 'left' | 'removed' | null
  /** The bot itself. */
  readonly isSelf: boolean
  /** Whose screen this is; null where it is a participant. */
  readonly parentId: string | null
  readonly isHost: boolean | null
}

export type StreamUpdate = {
  readonly userId: string
  readonly kind: 'audio' | 'video'
  /** Null while it is sent to nobody: a camera for which the layout has no place. */
  readonly streamId: string | null
  readonly disabled: boolean
}

export type ChatLine = {
  readonly id: string
  readonly userId: string
  /** Where the platform sends it along: the writer may have left. */
  readonly name?: string
  readonly text: string
}

export type SpeakingUpdate = { readonly userId: string; readonly speaks: boolean }

export type CaptionLine = {
  readonly id: string
  readonly userId: string
  readonly version: number
  readonly final: boolean
  readonly text: string
  /** When it was said, in milliseconds since 1970, where the platform tells. */
  readonly spoken?: { readonly fromMs: number; readonly toMs: number }
}

/** What the platform lets its page know about the request to join. */
export type DoorSign = {
  /** `limited`: no more requests are answered. `suspected`: the platform takes the browser for suspicious. */
  readonly sign: 'limited' | 'suspected'
  /** For evidence. */
  readonly detail: string
}

export type ClientMessage =
  | {
      readonly kind: 'changes'
      readonly users: readonly UserUpdate[]
      readonly streams: readonly StreamUpdate[]
      readonly chat: readonly ChatLine[]
    }
  /** Every user who is there. */
  | { readonly kind: 'everybody'; readonly users: readonly UserUpdate[] }
  /** The bot's own stay is over. `by`: the name of the participant who ended it. */
  | { readonly kind: 'ended'; readonly how: 'left' | 'ended' | 'removed'; readonly by: string | null }
  | { readonly kind: 'caption'; readonly caption: CaptionLine }
  /** Who speaks, as the platform says. */
  | { readonly kind: 'speaking'; readonly users: readonly SpeakingUpdate[] }
  /** The contributing sources that are speaking. */
  | { readonly kind: 'voice'; readonly sources: readonly number[] }

/** Decodes reports of one kind. Null or empty: nothing that the platform would say. */
type Reader = (bytes: Uint8Array) => ClientMessage | readonly ClientMessage[] | null
export type Readers = Readonly<Record<string, Reader>>
