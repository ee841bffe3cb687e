// What the site and its own page exchange beyond the protocol of the field notes. No bot can see how the real ones do that.
import type { SectionRole } from '../call/sections.ts'
import type { Scenario } from './scenario.ts'
import type { ScreenName, Words } from './words.ts'

export type Boot = {
  readonly words: Words
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
  /** Where the full experience of this meeting is, for a light one that gives up. */
  readonly fullUrl: string
  /** Where the light experience of this meeting is; null where it has none. */
  readonly lightUrl: string | null
  readonly signInUrl: string
}

export type LauncherBoot = { readonly words: Words; readonly onWeb: Scenario['onWeb']; readonly webUrl: string; readonly appUrl: string }

/** The body of `…/call/progress/`: what a page that waits is told. */
export type Progress =
  | { readonly kind: 'lobby' }
  | { readonly kind: 'not_started' }
  /** The connection to the lobby failed: the join button can be pressed again. */
  | { readonly kind: 'lobby_failed' }
  | { readonly kind: 'screen'; readonly screen: ScreenName }
  | { readonly kind: 'go'; readonly to: string }
  | { readonly kind: 'caption_language_reset' }

export type ConversationEnd = {
  readonly subCode: number
  readonly sender?: { readonly id: string; readonly displayName: string }
}

/** A control that was pressed, by a name that no language changes. */
export type Press = {
  readonly control: string
  readonly label: string
  /** By a device or a debugger, not by a script of the page. */
  readonly trusted: boolean
}

/** What a page that was let in reports of itself, whenever that changes. */
export type AttendeeState = {
  readonly microphone: boolean
  readonly camera: boolean
  /** The language; null while captions are off. */
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
  leave: `${CALLS}/leave`,
  press: `${CALLS}/press`,
} as const

/** Where the page's own modules are. */
export const ASSETS = '/v2/assets/'

/** Which meeting, which attendee and which signed-in tab a call of the page is from. */
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
