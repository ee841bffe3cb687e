// Zoom's web client: its tables, its address and its messages. Everything else is the kit's.
import type { PlatformTables } from '../web-client/tables.ts'
import type { WebClient } from '../web-client/web-client.ts'
import { GLOBALS } from './page-content.ts'
import { createReaders, LONGEST_NAME } from './protocol.ts'
import { SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'

const TABLES: PlatformTables = {
  controls: CONTROLS,
  never: NEVER,
  people: PEOPLE,
  talk: TALK,
  frame: 'iframe#webclient, .pwa-webclient__iframe',
  chatLines: CHAT_LINES,
  sentences: SENTENCES,
  screens: SCREEN_RULES,
  verdicts: VERDICTS,
  notices: {
    door: ['cookies', 'fromBrowser', 'agree', 'allowDevices'],
    waiting: ['agree'],
    call: ['agree', 'joinAudio', 'closePopup'],
  },
  captionsMenu: ['more', 'captionsMenu'],
  // The client accepts only a name that is typed key by key, and an overlay covers the button.
  inputs: { nameField: 'keys', passcodeField: 'keys', join: 'script' },
  panels: ['chat'],
}

export const zoomWeb: WebClient = {
  label: 'Zoom',
  home: 'https://app.zoom.us/wc/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: false, ignoredSources: [] },
  tables: TABLES,
  /** Skips the launcher, which asks the browser to open the app. */
  addressOf({ meeting }) {
    if (meeting.platform !== 'zoom') throw new Error(`zoom-web: cannot join ${meeting.platform} meetings`)
    const address = new URL(`https://app.zoom.us/wc/${meeting.meetingNumber}/join`)
    address.searchParams.set('fromPWA', '1')
    if (meeting.passcode) address.searchParams.set('pwd', meeting.passcode)
    if (meeting.registrantToken) address.searchParams.set('tk', meeting.registrantToken)
    return address
  },
  passcodeOf: ({ meeting }) => (meeting.platform === 'zoom' ? meeting.passcode : null),
  longestName: LONGEST_NAME,
  longestChatLine: 1_024,
  joinRequest: null,
  listens: { channels: [], answers: {}, workers: 'signalling', tracks: 'tracks', decodes: true },
  createReaders,
  globals: GLOBALS,
  signIns: {},
}
