// What the page knows of the call, as one value; every change makes a new one.
import type { ChatLine, MediaState, OverReason, PersonView, WaitingView } from '../wire.ts'

/** `lost`: the connection did not come back. */
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
  /** Ids of those who are heard now. */
  readonly speaking: readonly string[]
  /** The browser plays no sound before the person has touched the page. */
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
