// What the page of a Zoom meeting and the driver say to each other. Only types and facts of both.

/** Everything that the page needs to join. */
export type PageOrders = {
  /** Where the SDK's own files are, from the page. */
  readonly library: string
  /** Where the SDK leads after the meeting. */
  readonly leaveUrl: string
  readonly join: JoinOrders
  /** A join that is refused with this code is tried again after so long. */
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

/** `joining` also stands for a lost connection: then the screen tells. */
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
  /** The SDK does not join, with its code and its sentence. */
  | { readonly kind: 'refused'; readonly code: number; readonly says: string }
  /** The bot's own stay is over. `reason` is the SDK's `reasonCode`, `code` an error; either may be unknown. */
  | { readonly kind: 'over'; readonly reason: number | null; readonly code: number | null }

export const REPORT = 'emissaryZoomReport'
export const GLOBAL = 'emissaryZoom'

/** Only for now: the user for whom the bot joins is not in the meeting yet. */
export const AUTHORISED_USER_ABSENT = 4017
