// The variants of Google Meet: one field for each known difference. A test sets those that matter to it.
import type { SpaceOptions } from '../sfu/types.ts'
import type { Consent, JoinText, Language, LobbyText, NetworkText, ScreenName } from './texts.ts'

/** Overlays of the page before the knock. */
export type Notice = 'devices' | 'sign_in' | 'got_it' | 'dismiss' | 'toasts' | 'device_errors'

/** `native`: the browser decodes the audio. `neteq`: the page takes the encoded frames and decodes them. */
export type MediaPath = 'native' | 'neteq'

/** How a page fails at the knock: it goes blank, it is refused or limited by HTTP 429 (in the lobby: for its Sync calls), or its code throws a DisconnectedError while the lobby stays or everything turns black. */
type Death = 'blank' | 'rate_limited' | 'sync_limited' | 'dropped' | 'dropped_black'

export type Scenario = {
  /** Where the link leads: `sign_in` redirects to the accounts' pages without a session, `sign_in_page` shows "Sign in" in place, `live_stream` redirects to the page of a viewer. */
  readonly landing: 'prejoin' | 'sign_in' | 'sign_in_page' | 'marketing' | 'live_stream' | ScreenName
  /** Which browsers are turned away at the link, by Meet's cookie: the first so many, or all without an account. Others get the landing. */
  readonly turnsAway: number | 'guests'
  readonly turnedAwayBy: ScreenName
  /** `by_cookie`: Google's session cookies sign the page in. */
  readonly account: 'by_cookie' | 'guest' | 'signed_in'
  /** The name of the account, which cannot be changed. */
  readonly accountName: string
  /** The language of the account or of the browser. */
  readonly language: Language
  /** Whether `?hl=` in the address overrides it. */
  readonly hl: 'heeded' | 'ignored'
  readonly apostrophes: 'as_noted' | 'curly' | 'straight'
  readonly classes: 'known' | 'rotating'
  readonly jsnames: 'known' | 'rotating'
  /** `live`: the page may open web sockets to `localhost`. `strict`: only to its own host. */
  readonly policy: 'live' | 'strict'
  /** How long the page shows only a spinner. */
  readonly loadMs: number

  /** How the name field can be found. */
  readonly nameField: 'aria-label' | 'jsname' | 'placeholder'
  readonly join: JoinText
  /** `decorated`: the button has its own label, such as "Ask to join without camera". */
  readonly joinLabel: 'plain' | 'decorated'
  /** The button is disabled until a name is typed. */
  readonly joinNeedsName: boolean
  readonly toggles: 'div' | 'button'
  /** Labels of microphone and camera end in "(ctrl + d)". */
  readonly shortcuts: boolean
  readonly muteAttribute: boolean
  readonly devicesOn: boolean
  /** Hidden copies of all controls. */
  readonly ghosts: boolean
  readonly notices: readonly Notice[]
  /** A browser without an audio output gets an error over the page before the knock. */
  readonly needsSpeaker: boolean
  /** The invisible frame is on every join and has no effect. A visible one requires a human. */
  readonly captcha: 'none' | 'invisible' | 'at_the_door' | 'after_the_knock'

  /** The result of pressing the join button. */
  readonly knock: 'lobby' | 'admitted' | 'host_absent' | 'sign_in' | 'marketing' | ScreenName | Death
  /** The answer to the knock marks the browser as suspicious. */
  readonly suspected: boolean
  /** How long the server takes to answer the knock. */
  readonly knockMs: number
  readonly lobby: LobbyText
  /** Toolbar, tile and buttons that look like the call. */
  readonly lobbyTraps: boolean
  /** The lobby text stays in the document behind the next screen. */
  readonly lobbyLingers: boolean
  readonly denied: ScreenName
  /** After this time in the lobby Meet gives up. The real one takes ten minutes. */
  readonly noResponseMs: number | null
  /** After this time it asks whether the user is still there. */
  readonly idlePromptMs: number | null
  /** After this time in the lobby Meet turns microphone and camera off. The real one takes three minutes. */
  readonly lobbyDevicesOffMs: number | null
  /** From "You can't join" to the marketing page. */
  readonly countdownSeconds: number

  /** Consent dialogs in sequence: right after admission, or before the knock. */
  readonly consents: readonly Consent[]
  readonly consentsAt: 'call' | 'door'
  readonly geminiPill: boolean
  readonly toolbarHidesAfterMs: number | null
  /** `dialog`: an element with that role, not a button, which opens a dialog (December 2025). */
  readonly peopleButton: 'count' | 'plain' | 'show_everyone' | 'dialog'
  readonly composer: 'textarea' | 'contenteditable'
  readonly media: MediaPath
  /** `always`: on the native path the page takes the frames too and writes them back, so it can change its path within a connection. */
  readonly takesFrames: 'when_needed' | 'always'
  /** `asked_for`: the connection is created for encoded streams, and all media passes through the page. `at_once`: only audio does. */
  readonly encodedStreams: 'at_once' | 'asked_for'
  /** False: audio is played by elements outside the document. */
  readonly audioElements: boolean
  /** The media element of a tile has the source of its person's microphone in `data-ssrc`. */
  readonly sourceAttributes: boolean
  /** The role of a final screen. */
  readonly endings: 'alert' | 'alertdialog'
  /** A host who leaves is asked whether to end the call. */
  readonly asHost: boolean
  /** How a page gets into a breakout room: it is asked, or moved after a notice. `dead_button`: asked again and again. The way back is never asked. */
  readonly roomMove: 'asked' | 'moved' | 'dead_button'
  /** The title of the page names the breakout room. */
  readonly roomTitle: boolean
  readonly network: NetworkText
  readonly syncEveryMs: number
  /** `rate_limited`: HTTP 429, so only the channel reports the roster. */
  readonly sync: 'answered' | 'rate_limited'
  readonly pollEveryMs: number
  /** Which side opens the channel `collections`. */
  readonly collectionsBy: 'server' | 'page'
  readonly space: SpaceOptions
}

const USUAL: Scenario = {
  landing: 'prejoin',
  turnsAway: 0,
  turnedAwayBy: 'refused',
  account: 'by_cookie',
  accountName: 'Signed-in Account',
  language: 'en',
  hl: 'heeded',
  apostrophes: 'as_noted',
  classes: 'known',
  jsnames: 'known',
  policy: 'live',
  loadMs: 0,
  nameField: 'aria-label',
  join: 'ask',
  joinLabel: 'plain',
  joinNeedsName: true,
  toggles: 'div',
  shortcuts: false,
  muteAttribute: true,
  devicesOn: true,
  ghosts: false,
  notices: [],
  needsSpeaker: false,
  captcha: 'invisible',
  knock: 'lobby',
  suspected: false,
  knockMs: 100,
  lobby: 'someone_lets',
  lobbyTraps: true,
  lobbyLingers: false,
  denied: 'denied',
  noResponseMs: null,
  idlePromptMs: null,
  lobbyDevicesOffMs: null,
  countdownSeconds: 60,
  consents: [],
  consentsAt: 'call',
  geminiPill: false,
  toolbarHidesAfterMs: 4_000,
  peopleButton: 'count',
  composer: 'textarea',
  media: 'native',
  takesFrames: 'when_needed',
  encodedStreams: 'at_once',
  audioElements: true,
  sourceAttributes: true,
  endings: 'alert',
  asHost: false,
  roomMove: 'asked',
  roomTitle: true,
  network: 'lost',
  syncEveryMs: 3_000,
  sync: 'answered',
  pollEveryMs: 80,
  collectionsBy: 'server',
  space: {},
}

export function scenarioOf(differences: Partial<Scenario>): Scenario {
  return { ...USUAL, ...differences }
}
