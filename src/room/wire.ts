// The JSON messages between the room's page and its server, over one WebSocket. Used by both, so it needs neither Node nor DOM.

export const LIMITS = {
  /** People inside a room. Low, because in a full mesh everyone sends to everyone else. */
  inside: 8,
  waiting: 20,
  /** Added to both limits for bots of this service. */
  keptForBots: 1,
  /** Also the limit for bot names, which are checked before the platform is known. */
  nameLength: 100,
  chatLength: 2_000,
  /** Chat lines kept for late joiners. */
  chatLines: 200,
  /** A dropped connection keeps its seat this long. */
  seatMs: 15_000,
  /** The server sends `tick` this often. Three ticks of silence end a connection. */
  tickMs: 2_000,
} as const

/** The media a person can send, in the order of the transceivers of every peer connection: mid 0, 1 and 2. */
export const MEDIA_KINDS = ['microphone', 'camera', 'screen'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

export type MediaState = Readonly<Record<MediaKind, boolean>>

export type PersonView = {
  readonly id: string
  readonly name: string
  readonly host: boolean
  /** Claims to be a program. It is never host while a human is inside. */
  readonly bot: boolean
  readonly media: MediaState
  /** False: disconnected, and the seat is kept. */
  readonly connected: boolean
  /** Unix time in milliseconds, by the server's clock. */
  readonly enteredAt: number
}

export type WaitingView = { readonly id: string; readonly name: string; readonly bot: boolean }

export type ChatLine = {
  readonly id: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly at: number
}

export type IceServer = { readonly urls: string | readonly string[]; readonly username?: string; readonly credential?: string }

export type Description = { readonly type: 'offer' | 'answer'; readonly sdp: string }
export type Candidate = {
  readonly candidate: string
  readonly sdpMid: string | null
  readonly sdpMLineIndex: number | null
  readonly usernameFragment: string | null
}
/** WebRTC signalling between two pages. */
export type Signal = { readonly description: Description } | { readonly candidate: Candidate }

export type ClientMessage =
  | { readonly kind: 'join'; readonly name: string; readonly bot: boolean; readonly lobby: boolean; readonly media: MediaState }
  | { readonly kind: 'resume'; readonly token: string }
  | { readonly kind: 'signal'; readonly to: string; readonly signal: Signal }
  | { readonly kind: 'chat'; readonly text: string }
  | { readonly kind: 'media'; readonly media: MediaState }
  | { readonly kind: 'admit' | 'refuse' | 'remove'; readonly whom: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'leave' }

/** Why the call ended for this person. The server closes the socket after sending it. */
export type OverReason = 'ended' | 'removed' | 'refused' | 'full' | 'left' | 'link_expired' | 'seat_unknown'

export const PROBLEMS = {
  bad_message: 'The message could not be read.',
  bad_name: `The name must have 1 to ${LIMITS.nameLength} characters.`,
  bad_chat: `A chat message must have 1 to ${LIMITS.chatLength} characters.`,
  too_fast: 'Too many chat messages. Wait a moment.',
  not_inside: 'Join the meeting first: only people inside can do that.',
  not_host: 'Only the host can do that.',
  no_such_person: 'That person is not in the meeting.',
  room_full: 'The meeting is full.',
} as const
export type Problem = keyof typeof PROBLEMS

export type ServerMessage =
  | { readonly kind: 'hello'; readonly iceServers: readonly IceServer[] }
  | { readonly kind: 'waiting'; readonly you: string; readonly token: string }
  /** Always followed by a `roster`. */
  | { readonly kind: 'entered'; readonly you: string; readonly token: string; readonly chat: readonly ChatLine[] }
  /** People inside, longest present first. `waiting` is empty except for the host. */
  | { readonly kind: 'roster'; readonly people: readonly PersonView[]; readonly waiting: readonly WaitingView[] }
  | { readonly kind: 'signal'; readonly from: string; readonly signal: Signal }
  | { readonly kind: 'chat'; readonly line: ChatLine }
  | { readonly kind: 'over'; readonly reason: OverReason }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly detail: string }
  | { readonly kind: 'tick' }
