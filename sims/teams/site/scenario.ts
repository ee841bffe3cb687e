// The variants of a Teams meeting: one field for each difference in the field notes.
import type { CallOptions } from '../call/types.ts'
import type { AloneText, JoinText, Language, LobbyText, NetworkText, NotStartedText, ScreenName, Texts } from './texts.ts'

export type Knock = 'lobby' | 'not_started' | 'admitted' | 'sign_in' | ScreenName

/** Screens that a signed-in attendee does not see. */
export const SIGN_IN_WALLS: ReadonlySet<string> = new Set([
  'sign_in',
  'sign_in_once',
  'login_form',
  'captcha',
  'verify_info',
  'sign_in_or_web',
  'signed_in_teams',
  'work_account',
  'contact_organizer',
  'signed_in_account',
  'sign_in_again',
  'org_policy',
  'webinar',
] satisfies (Knock | Scenario['landing'])[])

export type Scenario = {
  /** `personal` is teams.live.com. */
  readonly variant: 'work' | 'personal'
  /** Null: the short link has none. Passcodes are case-sensitive. */
  readonly passcode: string | null
  /** Where the link leads. `sign_in` redirects to login.microsoftonline.com, `sign_in_once` only on the first load. */
  readonly landing: 'prejoin' | 'http_404' | 'http_410' | 'http_503' | 'login_form' | 'sign_in' | 'sign_in_once' | ScreenName
  /** `skipped`: it goes on by itself, as in a browser on Linux. `shown`: it asks, and opens the app. */
  readonly launcher: 'skipped' | 'shown'
  readonly onWeb: keyof Texts['launcher']['onWeb']
  /** `reload_on_name` and `reload_on_join` are light experiences that become the full one while joining. */
  readonly experience: 'full' | 'light' | 'reload_on_name' | 'reload_on_join'
  /** Whether the prejoin page is in the first iframe. */
  readonly frame: 'page' | 'iframe'
  /** Null: the page hangs on `#loading-screen`. */
  readonly loadMs: number | null
  readonly language: Language | 'browser'
  readonly apostrophes: 'as_noted' | 'curly' | 'straight'

  /** How the name field can be found. */
  readonly nameField: 'tid' | 'placeholder' | 'aria-label' | 'only_input'
  readonly toggles: 'input' | 'div' | 'titled'
  readonly join: JoinText
  readonly joinButton: 'tid' | 'text'
  readonly devicesOn: boolean
  readonly audioChoice: boolean
  /** When "Are you sure you don't want audio or video?" is asked. */
  readonly noDevicesDialog: 'never' | 'before_join' | 'after_join'
  readonly permissionNote: boolean
  /** "OK", "Try again", `[data-tid*=retry]` and `[class*=error]` on a healthy prejoin page. */
  readonly decoys: boolean

  readonly knock: Knock
  readonly knockMs: number
  readonly lobby: LobbyText
  readonly notStarted: NotStartedText
  /** The lobby times out after this. */
  readonly lobbyTimeOutMs: number | null
  /** The page takes every guest without a valid identification token for a bot. */
  readonly suspectsBots: boolean
  readonly externalBotAccess: 'allow_all' | 'require_approval' | 'block'
  readonly denied: 'denied' | 'declined'
  readonly removed: 'removed' | 'removed_meeting'
  readonly removedCode: 5000 | 5300
  readonly ended: 'ended' | 'ended_title' | 'call_ended' | 'left'
  /** The screen of conversationEnd 5723. */
  readonly signInWall: ScreenName
  readonly endBody: 'plain' | 'packed'

  /** `changes`: late joiners get nothing else, and the whole list is an HTTP snapshot. `whole`: also a frame, before and after the media. */
  readonly firstRoster: 'whole' | 'changes'
  /** The own account is in the roster twice. */
  readonly ownTwice: boolean
  /** The client turns the microphone on by itself after admission. */
  readonly unmutesItself: boolean
  readonly captionsMenu: 'nested' | 'top'
  readonly tiles: 'current' | 'older' | 'personal'
  /** Badges of external people in labels of tiles: glued to the name, listed after commas, or none. */
  readonly badges: 'glued' | 'listed' | 'none'
  /** A participant records, and everybody is asked for consent, over the call. */
  readonly asksConsent: boolean
  /** `webinar`: attendees have neither microphone nor camera, and no list of people. */
  readonly event: 'meeting' | 'webinar'
  /** Whether tiles of speakers are outlined. */
  readonly outline: 'voice' | 'none'
  readonly hangup: 'id' | 'tid' | 'inp' | 'call_hangup'
  readonly globals: 'callingDebug' | 'msteamscalling' | 'none'
  /** Two sets of ids for the same menu. */
  readonly viewMenu: 'current' | 'custom'
  /** A pop-up lies over the call. */
  readonly popup: boolean
  /** How a page gets into a breakout room and back: after a countdown, or by a button. `dead_button` does nothing, `hangs` never arrives. */
  readonly roomMove: 'countdown' | 'button' | 'dead_button' | 'hangs'
  /** What becomes of the call that a moved page leaves behind. */
  readonly callBehind: 'held' | 'ended'
  /** Participants may go back by themselves, so there is a button for it. */
  readonly mayReturn: boolean
  readonly network: NetworkText
  readonly alone: AloneText
  /** Chat stops after this time without a mouse move. */
  readonly chatSleepsAfterMs: number | null
  readonly call: CallOptions
}

const USUAL: Scenario = {
  variant: 'work',
  passcode: 'aB3xYz',
  landing: 'prejoin',
  launcher: 'skipped',
  onWeb: 'continue',
  experience: 'full',
  frame: 'page',
  loadMs: 0,
  language: 'browser',
  apostrophes: 'as_noted',
  nameField: 'tid',
  toggles: 'input',
  join: 'now',
  joinButton: 'tid',
  devicesOn: true,
  audioChoice: true,
  noDevicesDialog: 'never',
  permissionNote: false,
  decoys: true,
  knock: 'lobby',
  knockMs: 100,
  lobby: 'shortly',
  notStarted: 'when_starts',
  lobbyTimeOutMs: null,
  suspectsBots: false,
  externalBotAccess: 'require_approval',
  denied: 'denied',
  removed: 'removed',
  removedCode: 5300,
  ended: 'ended',
  signInWall: 'signed_in_account',
  endBody: 'packed',
  firstRoster: 'whole',
  ownTwice: false,
  unmutesItself: false,
  captionsMenu: 'nested',
  tiles: 'current',
  badges: 'glued',
  asksConsent: false,
  event: 'meeting',
  outline: 'voice',
  hangup: 'id',
  globals: 'callingDebug',
  viewMenu: 'current',
  popup: false,
  roomMove: 'countdown',
  callBehind: 'held',
  mayReturn: true,
  network: 'lost',
  alone: 'only_one',
  chatSleepsAfterMs: null,
  call: {},
}

export function scenarioOf(differences: Partial<Scenario>): Scenario {
  return { ...USUAL, ...differences }
}
