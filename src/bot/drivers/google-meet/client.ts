// Google Meet's web client: its page rules, its addresses and its messages.
import type { MeetingClient } from '../browser-meeting/meeting-client.ts'
import { DOOR_READERS } from './protocol.ts'
import { FATAL_ERRORS, SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'
import { signIn } from './sign-in.ts'
import { createReaders } from './spaces.ts'

/** Google Meet's contributing source for silence. */
const SILENCE_SOURCE = 42

const JOIN_REQUEST = 'MeetingDeviceService/CreateMeetingDevice'

const LANGUAGE_VALUES = ['[data-value="%" i]', '[data-value^="%-" i]']

export const googleMeet: MeetingClient = {
  label: 'Google Meet',
  home: 'https://meet.google.com/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: true, ignoredSources: [SILENCE_SOURCE] },
  pageRules: {
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
    rooms: {
      inside: { present: ['returnToMain'] },
      name: 'head title',
      besides: ['Meet - ', 'Meet – '],
      follow: ['joinRoom'],
    },
    captionLanguages: {
      open: ['moreOptions', 'settings', 'captionSettings'],
      list: 'captionLanguages',
      // `en` matches any English.
      entries: LANGUAGE_VALUES.map((value) => `[role="dialog"] :is(li, [role="option"])${value}, [role="listbox"] ${value}`),
      close: 'closeSettings',
    },
  },
  addressOf({ meeting }) {
    const address = new URL(meeting.url)
    // Only this overrides the language of a signed-in account.
    address.searchParams.set('hl', 'en')
    return address
  },
  longestName: 60,
  longestChatLine: 500,
  signIn: { saml_session: signIn },
  joinRequest: {
    url: JOIN_REQUEST,
    readers: DOOR_READERS,
    suspicionHelp: 'Let the bot sign in, have its account invited, open the meeting to everyone, or run bots with BROWSER_MODE=headed.',
  },
  traffic: {
    listensTo: {
      channels: ['collections', 'captions', 'dcrpc'],
      answers: { sync: 'MeetingSpaceService/SyncMeetingSpaceCollections', device: JOIN_REQUEST },
    },
    createReaders,
  },
}
