// What the room's page and its server say to each other, as JSON over one WebSocket. Read by both: no Node and no DOM in here.

export const LIMITS = {
  /** People inside a room; with a full mesh everyone sends to everyone else. */
  inside: 8,
  waiting: 20,
  /** Beyond both: a bot of this service gets in where people have filled the room. */
  keptForBots: 1,
  /** Also of a bot's name, which is asked for before it is known where the bot goes. */
  nameLength: 100,
  chatLength: 2_000,
  /** Chat lines kept for those who come later. */
  chatLines: 200,
  /** A dropped connection keeps its seat this long. */
  seatMs: 15_000,
  /** The server says `tick` this often; whoever is silent for three of them is gone. */
  tickMs: 2_000,
} as const

/** The media a person can send, in the order of the transceivers of every peer connection: mid 0, 1 and 2. */
export const MEDIA_KINDS = ['microphone', 'camera', 'screen'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** Which of them are on. */
export type MediaState = Readonly<Record<MediaKind, boolean>>

export type PersonView = {
  readonly id: string
  readonly name: string
  readonly host: boolean
  /** Says of itself that it is a program; never host while a human is inside. */
  readonly bot: boolean
  readonly media: MediaState
  /** False while the connection is dropped and the seat is kept. */
  readonly connected: boolean
  /** Milliseconds since 1970, by the server's clock. */
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
/** What two pages tell each other to build their peer connection. */
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

/** Why it is over for this person; the server closes the socket after saying so. */
export type OverReason = 'ended' | 'removed' | 'refused' | 'full' | 'left' | 'link_expired' | 'seat_unknown'

export const PROBLEMS = {
  bad_message: 'The message could not be read.',
  bad_name: `A name has 1 to ${LIMITS.nameLength} characters.`,
  bad_chat: `A chat message has 1 to ${LIMITS.chatLength} characters.`,
  too_fast: 'Too many chat messages. Wait a moment.',
  not_inside: 'Only those inside the meeting can do that.',
  not_host: 'Only the host can do that.',
  no_such_person: 'That person is not here.',
  room_full: 'The meeting is full.',
} as const
export type Problem = keyof typeof PROBLEMS

export type ServerMessage =
  | { readonly kind: 'hello'; readonly iceServers: readonly IceServer[] }
  | { readonly kind: 'waiting'; readonly you: string; readonly token: string }
  /** Always followed by a `roster`. */
  | { readonly kind: 'entered'; readonly you: string; readonly token: string; readonly chat: readonly ChatLine[] }
  /** Those inside, longest present first; those waiting are told to the host only. */
  | { readonly kind: 'roster'; readonly people: readonly PersonView[]; readonly waiting: readonly WaitingView[] }
  | { readonly kind: 'signal'; readonly from: string; readonly signal: Signal }
  | { readonly kind: 'chat'; readonly line: ChatLine }
  | { readonly kind: 'over'; readonly reason: OverReason }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly detail: string }
  | { readonly kind: 'tick' }
