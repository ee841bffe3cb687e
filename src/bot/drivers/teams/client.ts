// Microsoft Teams' web client: its page rules, its addresses and its messages.
import type { MeetingClient } from '../browser-meeting/meeting-client.ts'
import { createReaders } from './protocol.ts'
import { SCREEN_RULES, VERDICTS } from './screens.ts'
import { CHAT_LINES, CONTROLS, NEVER, PEOPLE, TALK } from './selectors.ts'
import { SENTENCES } from './sentences.ts'
import { signIn } from './sign-in.ts'

/** The client keeps its call in one of two places, or in none. */
const CALL = `(globalThis.callingDebug?.observableCall ?? globalThis.msteamscalling?.deref?.()?.callingService?.getActiveCall?.())`

/** Languages whose region in Teams is not the one where most of their speakers live. */
const REGIONS: Readonly<Record<string, string>> = { ar: 'sa' }

/** Maps `de` and `en-GB` to Teams' `de-de` and `en-gb`. */
function captionCode(language: string): string {
  const [letters = '', given] = language.toLowerCase().split(/[-_]/)
  const region = given ?? REGIONS[letters] ?? new Intl.Locale(letters).maximize().region ?? letters
  return `${letters}-${region.toLowerCase()}`
}

export const teams: MeetingClient = {
  label: 'Microsoft Teams',
  home: 'https://teams.microsoft.com/v2/',
  profile: { browser: 'headed', encoded: true, wrapWorkers: true, ignoredSources: [], mixed: true },
  pageRules: {
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
      call: ['withoutDevices', 'consent', 'closePopup'],
    },
    rooms: {
      inside: { present: ['returnToMeeting'] },
      name: 'head title',
      besides: [' | Microsoft Teams'],
      follow: ['joinRoom', 'returnNow'],
    },
    captionsMenu: ['moreOptions', 'languageAndSpeech'],
  },
  addressOf({ meeting }) {
    return new URL(meeting.url)
  },
  identified(address, token) {
    const found = new URL(address)
    found.hash = `${found.hash || '#'}${found.hash === '' ? '' : '&'}token=${token}`
    return found
  },
  longestName: 64,
  longestChatLine: 4_000,
  redirects: {
    // Of a signed-in bot.
    origins: ['https://teams.cloud.microsoft'],
    wrongLinkStatuses: [400, 404, 410],
    /** The launcher asks the browser to open the app. Until that is answered, Chromium drops mouse events of the tab. */
    passBy(url, { meeting }, isSignedIn) {
      if (!new URL(url).pathname.startsWith('/dl/launcher/')) return null
      const { origin, pathname, search } = new URL(meeting.url)
      const anonymous = isSignedIn ? '' : `${search ? '&' : '?'}anon=true`
      return new URL(`/v2/?meetingjoin=true#${pathname}${search}${anonymous}`, origin)
    },
  },
  signIn: { password: signIn },
  traffic: {
    listensTo: {
      channels: ['main-channel'],
      sent: { 'main-channel': 'requests' },
      answers: {},
      texts: { snapshot: 'flightproxy' },
      sockets: { trouter: 'trouter' },
      bound: { chat: 'onMessageReceived' },
      description: 'description',
      unnamedSound: true,
    },
    createReaders,
    globals: {
      globals: `((call) => call ? {
        ownId: call.callerMri,
        callId: call._callId,
        muted: [...call.participants ?? []].filter((it) => it.isServerMuted).map((it) => it.id),
      } : null)(${CALL})`,
    },
    // An idle tab no longer receives chat.
    idleAfterMs: 4 * 60_000,
  },
  captions: {
    begin: (language) => `(async (call) => {
      if (!call?.startClosedCaption) return false
      await call.startClosedCaption()
      ${language === null ? '' : `await call.setClosedCaptionsLanguage(${JSON.stringify(captionCode(language))})`}
      return true
    })(${CALL})`,
    keep: (language) => `(async (call, code) => {
      if (call?.setClosedCaptionsLanguage && call.getClosedCaptionsLanguage?.() !== code) await call.setClosedCaptionsLanguage(code)
    })(${CALL}, ${JSON.stringify(captionCode(language))})`,
  },
}
