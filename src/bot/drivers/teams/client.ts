// Microsoft Teams' web client: its tables, its addresses and its messages.
import type { PlatformTables } from '../web-client/tables.ts'
import type { WebClient } from '../web-client/web-client.ts'
import { CAPTIONS, GLOBALS, LISTENS } from './listens.ts'
import { createReaders } from './protocol.ts'
import { SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'
import { signIn } from './sign-in.ts'

const TABLES: PlatformTables = {
  controls: CONTROLS,
  never: NEVER,
  people: PEOPLE,
  talk: TALK,
  frame: 'iframe',
  chatLines: CHAT_LINES,
  sentences: SENTENCES,
  screens: SCREEN_RULES,
  verdicts: VERDICTS,
  notices: {
    door: ['onWeb', 'allowDevices', 'withoutDevices'],
    waiting: ['allowDevices', 'withoutDevices'],
    call: ['withoutDevices', 'closePopup'],
  },
  captionsMenu: ['moreOptions', 'languageAndSpeech'],
}

export const teams: WebClient = {
  label: 'Microsoft Teams',
  home: 'https://teams.microsoft.com/v2/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: true, ignoredSources: [], mixed: true },
  tables: TABLES,
  addressOf({ meeting }) {
    return new URL(meeting.url)
  },
  wrongLinkStatuses: [400, 404, 410],
  /** The launcher asks the browser to open the app. Until that is answered, Chromium drops mouse events of the tab. */
  passBy(url, { meeting }, isSignedIn) {
    if (!new URL(url).pathname.startsWith('/dl/launcher/')) return null
    const { origin, pathname, search } = new URL(meeting.url)
    const anonymous = isSignedIn ? '' : `${search ? '&' : '?'}anon=true`
    return new URL(`/v2/?meetingjoin=true#${pathname}${search}${anonymous}`, origin)
  },
  /** The origins to which a signed-in bot is redirected. */
  origins: ['https://teams.cloud.microsoft'],
  longestName: 64,
  longestChatLine: 4_000,
  joinRequest: null,
  listens: LISTENS,
  createReaders,
  globals: GLOBALS,
  captions: CAPTIONS,
  // An idle tab no longer receives chat.
  idleAfterMs: 4 * 60_000,
  signIns: { password: signIn },
}
