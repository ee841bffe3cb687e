// Google Meet's web client: its tables, its addresses and its messages.
import type { PlatformTables } from '../web-client/tables.ts'
import type { WebClient } from '../web-client/web-client.ts'
import { DOOR_READERS, READERS } from './protocol.ts'
import { FATAL_ERRORS, SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'
import { signIn } from './sign-in.ts'

/** Google Meet's contributing source for silence. */
const SILENCE_SOURCE = 42

const LANGUAGE_VALUES = ['[data-value="%" i]', '[data-value^="%-" i]']

export const TABLES: PlatformTables = {
  controls: CONTROLS,
  never: NEVER,
  people: PEOPLE,
  talk: TALK,
  chatLines: CHAT_LINES,
  sentences: SENTENCES,
  screens: SCREEN_RULES,
  verdicts: VERDICTS,
  fatalErrors: FATAL_ERRORS,
  notices: {
    // An administrator may require consent to recording before the request to join.
    door: ['consent', 'deviceError', 'withoutDevices', 'withoutAccount', 'gotIt', 'closeToast'],
    waiting: ['consent', 'keepWaiting'],
    // Consent also lets the meeting record the bot.
    call: ['consent', 'gotIt', 'closeToast'],
  },
  captionLanguages: {
    open: ['moreOptions', 'settings', 'captionSettings'],
    list: 'captionLanguages',
    // `en` matches any English.
    entries: LANGUAGE_VALUES.map((value) => `[role="dialog"] :is(li, [role="option"])${value}, [role="listbox"] ${value}`),
    close: 'closeSettings',
  },
}

export const googleMeet: WebClient = {
  label: 'Google Meet',
  home: 'https://meet.google.com/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: true, ignoredSources: [SILENCE_SOURCE] },
  tables: TABLES,
  addressOf({ meeting }) {
    const address = new URL(meeting.url)
    // Only this overrides the language of a signed-in account.
    address.searchParams.set('hl', 'en')
    return address
  },
  longestName: 60,
  longestChatLine: 500,
  joinRequest: 'MeetingDeviceService/CreateMeetingDevice',
  listens: {
    channels: ['collections', 'captions', 'dcrpc'],
    answers: { sync: 'MeetingSpaceService/SyncMeetingSpaceCollections', device: 'MeetingDeviceService/CreateMeetingDevice' },
  },
  suspicionHelp: 'Let the bot sign in, have its account invited, open the meeting to everyone, or run bots with BROWSER_MODE=headed.',
  createReaders: () => READERS,
  doorReaders: DOOR_READERS,
  signIns: { saml_session: signIn },
}
