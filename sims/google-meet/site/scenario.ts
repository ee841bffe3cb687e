// What kind of Google Meet a link leads to: one row per thing that was ever seen to differ. A test names what it is about.
import type { SpaceOptions } from '../sfu/words.ts'
import type { Consent, JoinWord, Language, LobbyWord, NetworkWord, ScreenName } from './words.ts'

/** In front of the page before one has asked to join. */
export type Notice = 'devices' | 'sign_in' | 'got_it' | 'dismiss' | 'toasts' | 'device_errors'

/** `native`: the browser decodes the sound. `neteq`: the page takes the encoded frames and decodes them itself. */
export type MediaPath = 'native' | 'neteq'

/**
 * How a page dies at the knock: it goes blank, it is refused or limited by HTTP 429 (in the lobby: for its Sync calls), or its code fails
 * with a DisconnectedError while the lobby stays or everything goes black.
 */
type Death = 'blank' | 'rate_limited' | 'sync_limited' | 'dropped' | 'dropped_black'

export type Scenario = {
  /** Where the link leads: `sign_in` goes to the accounts' pages unless there is a session, `sign_in_page` says "Sign in" in place. */
  readonly landing: 'prejoin' | 'sign_in' | 'sign_in_page' | 'marketing' | ScreenName
  /** `by_cookie`: whoever brings Google's session cookies is signed in. */
  readonly account: 'by_cookie' | 'guest' | 'signed_in'
  /** The name of whoever is signed in; it cannot be changed. */
  readonly accountName: string
  /** The language of the account or of the browser. */
  readonly language: Language
  /** Whether `?hl=` in the address beats it. */
  readonly hl: 'heeded' | 'ignored'
  readonly apostrophes: 'as_noted' | 'curly' | 'straight'
  readonly classes: 'known' | 'rotating'
  readonly jsnames: 'known' | 'rotating'
  /** How long the page shows nothing but a spinner. */
  readonly loadMs: number

  /** How the name field can be told. */
  readonly nameField: 'aria-label' | 'jsname' | 'placeholder'
  readonly join: JoinWord
  /** `decorated`: the button has a label of its own, such as "Ask to join without camera". */
  readonly joinLabel: 'plain' | 'decorated'
  /** Only who has typed a name can press the button. */
  readonly joinNeedsName: boolean
  readonly toggles: 'div' | 'button'
  /** Labels of microphone and camera end in "(ctrl + d)". */
  readonly shortcuts: boolean
  readonly muteAttribute: boolean
  readonly devicesOn: boolean
  /** Hidden copies of everything that can be pressed. */
  readonly ghosts: boolean
  readonly notices: readonly Notice[]
  /** The invisible frame is on every join and means nothing; a visible one wants a human. */
  readonly captcha: 'none' | 'invisible' | 'at_the_door' | 'after_the_knock'

  /** What comes of pressing the join button. */
  readonly knock: 'lobby' | 'admitted' | 'host_absent' | 'sign_in' | 'marketing' | ScreenName | Death
  /** The answer to the knock says that the browser is suspected. */
  readonly suspected: boolean
  /** How long the server thinks about it. */
  readonly knockMs: number
  readonly lobby: LobbyWord
  /** Toolbar, tile and buttons that look as if one were in the call. */
  readonly lobbyTraps: boolean
  /** The waiting text stays in the document behind whatever comes next. */
  readonly lobbyLingers: boolean
  readonly denied: ScreenName
  /** After so long in the waiting room Meet gives up; the real one takes ten minutes. */
  readonly noResponseMs: number | null
  /** After so long it asks whether one is still there. */
  readonly stillThereMs: number | null
  /** After so long in the waiting room Meet turns microphone and camera off; the real one takes three minutes. */
  readonly lobbyDevicesOffMs: number | null
  /** From "You can't join" to the marketing page. */
  readonly countdownSeconds: number

  /** Dialogs that ask for consent, one after the other: right after admission, or before anybody may knock. */
  readonly consents: readonly Consent[]
  readonly consentsAt: 'call' | 'door'
  readonly geminiPill: boolean
  readonly toolbarHidesAfterMs: number | null
  /** `dialog`: no button, but an element with that role which opens a dialog (December 2025). */
  readonly peopleButton: 'count' | 'plain' | 'show_everyone' | 'dialog'
  readonly composer: 'textarea' | 'contenteditable'
  readonly media: MediaPath
  /** `always`: on the native path the page takes the frames, too, and writes them back. It can then change its path within a connection. */
  readonly takesFrames: 'when_needed' | 'always'
  /** `asked_for`: the connection is made for encoded streams, and all of it passes the page. `at_once`: only the sound does. */
  readonly encodedStreams: 'at_once' | 'asked_for'
  /** Without, sound is played by elements that are not in the document. */
  readonly audioElements: boolean
  /** Whoever leaves as a host is asked whether all shall leave. */
  readonly asHost: boolean
  readonly network: NetworkWord
  readonly syncEveryMs: number
  /** `rate_limited`: HTTP 429, and no roster but what the channel tells. */
  readonly sync: 'answered' | 'rate_limited'
  readonly pollEveryMs: number
  /** Who opens the channel `collections`. */
  readonly collectionsBy: 'server' | 'page'
  readonly space: SpaceOptions
}

const USUAL: Scenario = {
  landing: 'prejoin',
  account: 'by_cookie',
  accountName: 'Signed-in Account',
  language: 'en',
  hl: 'heeded',
  apostrophes: 'as_noted',
  classes: 'known',
  jsnames: 'known',
  loadMs: 0,
  nameField: 'aria-label',
  join: 'ask',
  joinLabel: 'plain',
  joinNeedsName: true,
  toggles: 'div',
  shortcuts: true,
  muteAttribute: true,
  devicesOn: true,
  ghosts: false,
  notices: [],
  captcha: 'invisible',
  knock: 'lobby',
  suspected: false,
  knockMs: 100,
  lobby: 'someone_lets',
  lobbyTraps: true,
  lobbyLingers: false,
  denied: 'denied',
  noResponseMs: null,
  stillThereMs: null,
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
  asHost: false,
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
