// The messages between the page of a Zoom meeting and its driver.

/** The parameters with which the page joins. */
export type PageOrders = {
  /** URL of the SDK's files. */
  readonly library: string
  /** URL to which the SDK navigates after the meeting. */
  readonly leaveUrl: string
  readonly join: JoinOrders
  /** A join that fails with `code` is retried after `afterMs`. */
  readonly retry: { readonly code: number; readonly afterMs: number }
  /** The function through which the page reports, and the object through which the driver calls it. */
  readonly names: { readonly report: string; readonly global: string }
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

export type ZoomUser = {
  readonly id: number
  readonly name: string
  readonly isHost: boolean
  readonly microphoneOn: boolean
  readonly cameraOn: boolean
  readonly isSelf: boolean
}

/** `joining` also covers a lost connection. Only the screen distinguishes the two. */
type Place = 'joining' | 'waiting_for_host' | 'waiting_room' | 'inside'

export type ZoomTrack = { readonly id: string; readonly streamId: string; readonly kind: 'audio' | 'video' }

export type ZoomReport =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'users'; readonly users: readonly ZoomUser[] }
  | { readonly kind: 'speakers'; readonly users: readonly number[] }
  | { readonly kind: 'tracks'; readonly tracks: readonly ZoomTrack[] }
  | { readonly kind: 'chat'; readonly id: string; readonly from: number; readonly name: string; readonly text: string }
  | {
      readonly kind: 'caption'
      readonly id: string
      readonly from: number
      readonly name: string
      readonly text: string
      readonly final: boolean
    }
  | { readonly kind: 'permission'; readonly state: 'allowed' | 'denied' | 'withdrawn' }
  /** The SDK rejected the join. */
  | { readonly kind: 'refused'; readonly code: number; readonly says: string }
  /** Media that the client decodes by itself does not reach the recording. */
  | { readonly kind: 'media_failed'; readonly text: string }
  /** The bot has left. `reason` is the SDK's `reasonCode`, `code` an error code. Either may be unknown. */
  | { readonly kind: 'over'; readonly reason: number | null; readonly code: number | null }

export const REPORT = 'emissaryZoomReport'
export const GLOBAL = 'emissaryZoom'

/** Temporary: the user who authorised the OBF token has not joined yet. */
export const AUTHORISED_USER_ABSENT = 4017
