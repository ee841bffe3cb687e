// Zoom's web client: its page rules, its address and its messages.
import type { MeetingClient } from '../browser-meeting/meeting-client.ts'
import { STREAM } from './participant-ids.ts'
import { createReaders, LONGEST_NAME } from './protocol.ts'
import { ROOM_RULES } from './rooms.ts'
import { SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'

export const zoomWeb: MeetingClient = {
  label: 'Zoom',
  home: 'https://app.zoom.us/wc/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: false, ignoredSources: [], ownStreams: STREAM },
  pageRules: {
    controls: CONTROLS,
    never: NEVER,
    people: PEOPLE,
    talk: TALK,
    frame: 'iframe#webclient, .pwa-webclient__iframe',
    nested: true,
    chatLines: CHAT_LINES,
    sentences: SENTENCES,
    screens: SCREEN_RULES,
    verdicts: VERDICTS,
    notices: {
      door: ['cookies', 'fromBrowser', 'agree', 'allowDevices'],
      waiting: ['agree'],
      call: ['agree', 'joinAudio', 'captionLanguage', 'closePopup'],
    },
    rooms: ROOM_RULES,
    captionsMenu: ['more', 'captionsMenu'],
    captionDialogs: ['captionLanguage', 'transcribed'],
    // The client accepts only a name that is typed key by key, and an overlay covers the button.
    inputs: { nameField: 'keys', passcodeField: 'keys', join: 'script' },
    panels: ['chat'],
  },
  /** Skips the launcher, which asks the browser to open the app. */
  addressOf({ meeting }) {
    if (meeting.platform !== 'zoom') throw new Error(`zoom-web: cannot join ${meeting.platform} meetings`)
    const address = new URL(`https://app.zoom.us/wc/${meeting.meetingNumber}/join`)
    address.searchParams.set('fromPWA', '1')
    if (meeting.passcode) address.searchParams.set('pwd', meeting.passcode)
    if (meeting.registrantToken) address.searchParams.set('tk', meeting.registrantToken)
    return address
  },
  longestName: LONGEST_NAME,
  longestChatLine: 1_024,
  traffic: {
    listensTo: { channels: [], answers: {}, workers: 'signalling', tracks: 'tracks', decodes: true },
    createReaders,
    // Chat and caption lines of the page.
    globals: {
      chat: `[...document.querySelectorAll('#chat-list-content .new-chat-message__container')].map((it) => {
        const sender = it.querySelector('.chat-item__sender')
        return {
          userId: sender?.getAttribute('data-userid') ?? '',
          name: sender?.getAttribute('data-name') ?? '',
          text: it.querySelector('.chat-rtf-box__display')?.innerText ?? '',
        }
      })`,
      captions: `[...document.querySelectorAll('#live-transcription-subtitle .live-transcription-subtitle__item')].map((it) => it.innerText)`,
    },
  },
}
