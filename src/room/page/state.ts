// The immutable state of the page.
import type { ChatLine, MediaState, OverReason, PersonView, WaitingView } from '../wire.ts'

/** `lost`: reconnecting failed. */
export type Ending = Exclude<OverReason, 'seat_unknown'> | 'lost'

export type Phase = 'prejoin' | 'joining' | 'waiting' | 'inside' | 'over'

export type CallState = {
  readonly phase: Phase
  readonly ending: Ending | null
  readonly connection: 'up' | 'lost'
  /** Our own id. */
  readonly self: string | null
  readonly people: readonly PersonView[]
  readonly waiting: readonly WaitingView[]
  readonly chat: readonly ChatLine[]
  readonly media: MediaState
  /** Ids of the people who are speaking. */
  readonly speaking: readonly string[]
  /** The browser blocks audio until a user gesture. */
  readonly isSoundBlocked: boolean
  readonly notice: string | null
}

export const FIRST_STATE: CallState = {
  phase: 'prejoin',
  ending: null,
  connection: 'up',
  self: null,
  people: [],
  waiting: [],
  chat: [],
  media: { microphone: false, camera: false, screen: false },
  speaking: [],
  isSoundBlocked: false,
  notice: null,
}

export function selfIn(state: CallState): PersonView | undefined {
  return state.people.find((it) => it.id === state.self)
}
