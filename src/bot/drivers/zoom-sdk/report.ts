// The messages between the page of a Zoom meeting and its driver.
import type { Participant } from '../../../domain/meeting.ts'

/** The parameters with which the page joins. */
export type PageOrders = {
  /** URL of the SDK's files. */
  readonly library: string
  /** URL to which the SDK navigates after the meeting. */
  readonly leaveUrl: string
  /** URL that answers after how many milliseconds the page joins again. The code of the refusal follows it. */
  readonly nextTry: string
  readonly join: JoinOrders
  /** Hidden objects: the function through which the page reports, the one that follows the SDK's store, and the calls of the driver. */
  readonly names: { readonly reports: string; readonly store: string; readonly calls: string }
}

/** The names are those of `ZoomMtg.join`. */
type JoinOrders = {
  readonly signature: string
  readonly meetingNumber: string
  readonly userName: string
  readonly passWord: string
  readonly tk?: string
  readonly zak?: string
  readonly obfToken?: string
}

export type ZoomUser = Omit<Participant, 'id'> & { readonly id: number; readonly isSelf: boolean }

/** `joining` also covers a lost connection. Only the screen distinguishes the two. */
type Place = 'joining' | 'waiting_for_host' | 'waiting_room' | 'inside'

export type ZoomTrack = { readonly id: string; readonly streamId: string; readonly kind: 'audio' | 'video' }

type Line = { readonly id: string; readonly from: number; readonly name: string; readonly text: string }

export type ZoomReport =
  | { readonly kind: 'place'; readonly place: Place }
  /** `authoriser`: the user on whose behalf the bot has joined; empty: none. */
  | { readonly kind: 'users'; readonly users: readonly ZoomUser[]; readonly authoriser?: string }
  | { readonly kind: 'speakers'; readonly users: readonly number[] }
  | { readonly kind: 'tracks'; readonly tracks: readonly ZoomTrack[] }
  | (Line & { readonly kind: 'chat' })
  | (Line & { readonly kind: 'caption'; readonly final: boolean })
  | { readonly kind: 'permission'; readonly state: 'allowed' | 'denied' | 'withdrawn' }
  /** The SDK rejected the join. `isRetried`: the page joins again. */
  | { readonly kind: 'refused'; readonly code: number; readonly says: string; readonly isRetried?: boolean }
  /** Media that the client decodes by itself does not reach the recording. */
  | { readonly kind: 'media_failed'; readonly text: string }
  /** The bot has left. `reason` is the SDK's `reasonCode`, `code` an error code. Either may be unknown. */
  | { readonly kind: 'over'; readonly reason: number | null; readonly code: number | null }

/** Hidden objects of the bot's own page. */
export const STORE = 'store'
export const CALLS = 'calls'

/** Temporary: the user who authorised the OBF token has not joined yet. */
export const AUTHORISED_USER_ABSENT = 4017
