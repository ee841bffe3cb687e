// What the site and its own page tell each other. How the real ones do that, no bot can know; it sees the page and the media.
import type { MediaPath, Scenario } from './scenario.ts'
import type { Language, ScreenName, Words } from './words.ts'

/** What a page is told with its document. `space` stays with the server: it holds functions. */
export type Boot = {
  readonly code: string
  readonly language: Language
  readonly words: Words
  readonly scenario: Omit<Scenario, 'space'>
  /** Receive tracks for pictures, a presentation's among them, and for sound. */
  readonly videoSlots: number
  readonly lanes: number
  /** Null: a guest, who types a name. */
  readonly accountName: string | null
  /** What the page opens with. */
  readonly opensWith: 'prejoin' | 'sign_in_page' | ScreenName
  /** What each class of the style sheet is called this time. */
  readonly classes: Readonly<Record<string, string>>
}

/** What the server tells a page that has knocked; the last word is told again when it comes back. */
export type Told =
  | { readonly kind: 'lobby' }
  | { readonly kind: 'host_absent' }
  | { readonly kind: 'admitted' }
  | { readonly kind: 'blank' }
  | { readonly kind: 'captcha' }
  | { readonly kind: 'dropped'; readonly isBlack: boolean }
  | { readonly kind: 'still_there' }
  | { readonly kind: 'media'; readonly path: MediaPath }
  | { readonly kind: 'go'; readonly to: string }
  | { readonly kind: 'screen'; readonly screen: ScreenName }

/** A control that was pressed, by a name that no language changes. */
export type Press = {
  readonly control: string
  readonly label: string
  /** By a device or a debugger, not by a script of the page. */
  readonly trusted: boolean
}

/** What a page that was let in says of itself, whenever that changes. */
export type DeviceState = { readonly microphone: boolean; readonly camera: boolean; readonly captions: string | null }

const SERVICES = '/$rpc/google.rtc.meetings.v1'

export const PATHS = {
  knock: `${SERVICES}.MeetingDeviceService/CreateMeetingDevice`,
  state: `${SERVICES}.MeetingDeviceService/UpdateMeetingDevice`,
  leave: `${SERVICES}.MeetingDeviceService/DeleteMeetingDevice`,
  offer: `${SERVICES}.MediaSessionService/CreateMediaSession`,
  chat: `${SERVICES}.MeetingMessageService/CreateMeetingMessage`,
  sync: `${SERVICES}.MeetingSpaceService/SyncMeetingSpaceCollections`,
  told: '/_/told',
  press: '/_/press',
} as const

/** Which of the meeting's devices a call is from. */
export const DEVICE_HEADER = 'x-goog-meeting-device'
