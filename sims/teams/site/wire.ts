// The messages between the site and its own page beyond the protocol of the field notes. A bot cannot see them.
import type { SectionRole } from '../call/sections.ts'
import type { Scenario } from './scenario.ts'
import type { ScreenName, Texts } from './texts.ts'

export type Boot = {
  readonly texts: Texts
  readonly language: string
  readonly scenario: Omit<Scenario, 'call'>
  readonly conversationId: string
  readonly callId: string
  /** Null: a guest, who types a name. */
  readonly accountName: string | null
  readonly opensWith: 'prejoin' | 'passcode' | 'login_form' | 'sign_in' | ScreenName
  readonly sections: readonly SectionRole[]
  readonly trouterUrl: string
  readonly snapshotUrl: string
  /** The address of the full experience, for a light one that gives up. */
  readonly fullUrl: string
  /** The address of the light experience, or null. */
  readonly lightUrl: string | null
  readonly signInUrl: string
}

export type LauncherBoot = {
  readonly texts: Texts
  readonly onWeb: Scenario['onWeb']
  readonly webUrl: string
  readonly appUrl: string
  /** It goes on to the web client by itself. */
  readonly isSkipped: boolean
}

/** The body of `…/call/progress/`: the state of a waiting page. */
export type Progress =
  | { readonly kind: 'lobby' }
  | { readonly kind: 'not_started' }
  /** The connection to the lobby failed. The join button is enabled again. */
  | { readonly kind: 'lobby_failed' }
  | { readonly kind: 'screen'; readonly screen: ScreenName }
  | { readonly kind: 'go'; readonly to: string }
  | { readonly kind: 'caption_language_reset' }
  /** The organizer wants the page in this breakout room; with an empty name, back in the meeting. */
  | { readonly kind: 'room'; readonly name: string; readonly callId: string }

export type ConversationEnd = {
  readonly subCode: number
  readonly sender?: { readonly id: string; readonly displayName: string }
}

/** A pressed control, by a name that does not depend on the language. */
export type Press = {
  readonly control: string
  readonly label: string
  /** By a device or a debugger, not by a script of the page. */
  readonly trusted: boolean
}

/** The state of a page in the call, sent at every change. */
export type AttendeeState = {
  readonly microphone: boolean
  readonly camera: boolean
  /** The language, or null while captions are off. */
  readonly captions: string | null
}

const CALLS = '/v2/_'

export const PATHS = {
  launcher: `${CALLS}/launcher`,
  boot: `${CALLS}/boot`,
  session: `${CALLS}/session`,
  knock: `${CALLS}/knock`,
  offer: `${CALLS}/offer`,
  state: `${CALLS}/state`,
  write: `${CALLS}/write`,
  chat: `${CALLS}/chat`,
  room: `${CALLS}/room`,
  leave: `${CALLS}/leave`,
  press: `${CALLS}/press`,
} as const

/** The address of the page's modules. */
export const ASSETS = '/v2/assets/'

/** The meeting, attendee and signed-in tab of a request. */
export const CONVERSATION_HEADER = 'x-ms-conversation'
export const ATTENDEE_HEADER = 'x-ms-attendee'
export const TAB_HEADER = 'x-ms-tab'

/** Trailing paths of the callback addresses on the trouter socket. */
export const FRAME_PATHS = {
  acceptance: 'call/acceptance/',
  progress: 'call/progress/',
  rosterUpdate: 'conversation/rosterUpdate/',
  conversationEnd: 'conversation/conversationEnd/',
} as const
