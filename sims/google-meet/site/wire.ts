// The messages between the site and its own page. They are not Meet's: a bot sees only the page and the media.
import type { MediaPath, Scenario } from './scenario.ts'
import type { Language, ScreenName, Texts } from './texts.ts'

/** The data of the document. `space` stays on the server, because it holds functions. */
export type Boot = {
  readonly code: string
  readonly language: Language
  readonly texts: Texts
  readonly scenario: Omit<Scenario, 'space'>
  /** Receive tracks for video, including a presentation, and for audio. */
  readonly videoSlots: number
  readonly lanes: number
  /** Null: a guest, who types a name. */
  readonly accountName: string | null
  /** The first screen of the page. */
  readonly opensWith: 'prejoin' | 'sign_in_page' | ScreenName
  /** The class names of this load. */
  readonly classes: Readonly<Record<string, string>>
}

/** Messages to a page that has knocked. The last one is repeated after a reconnection. */
export type ServerMessage =
  | { readonly kind: 'lobby' }
  | { readonly kind: 'host_absent' }
  | { readonly kind: 'admitted' }
  | { readonly kind: 'blank' }
  | { readonly kind: 'captcha' }
  | { readonly kind: 'dropped'; readonly isBlack: boolean }
  | { readonly kind: 'still_there' }
  | { readonly kind: 'media'; readonly path: MediaPath }
  | { readonly kind: 'go'; readonly to: string }
  /** The host opens this breakout room for the page, or closes the rooms: an empty name. */
  | { readonly kind: 'room'; readonly room: string }
  | { readonly kind: 'screen'; readonly screen: ScreenName }

/** A pressed control, by a name that does not depend on the language. */
export type Press = {
  readonly control: string
  readonly label: string
  /** By a device or a debugger, not by a script of the page. */
  readonly trusted: boolean
}

/** The state of a page in the call, sent at every change. */
export type DeviceState = { readonly microphone: boolean; readonly camera: boolean; readonly captions: string | null }

const SERVICES = '/$rpc/google.rtc.meetings.v1'

export const PATHS = {
  knock: `${SERVICES}.MeetingDeviceService/CreateMeetingDevice`,
  state: `${SERVICES}.MeetingDeviceService/UpdateMeetingDevice`,
  leave: `${SERVICES}.MeetingDeviceService/DeleteMeetingDevice`,
  offer: `${SERVICES}.MediaSessionService/CreateMediaSession`,
  chat: `${SERVICES}.MeetingMessageService/CreateMeetingMessage`,
  room: `${SERVICES}.MeetingDeviceService/MoveMeetingDevice`,
  sync: `${SERVICES}.MeetingSpaceService/SyncMeetingSpaceCollections`,
  events: '/_/events',
  press: '/_/press',
} as const

/** The device that sends a request. */
export const DEVICE_HEADER = 'x-goog-meeting-device'
