// How Google Meet's controls are found: each by several independent signals, in order of trust.
import type { PeopleRules, Signal } from '../browser-meeting/page-rules.ts'

const PRESSED = 'button, [role="button"]'
const RECORDED = ['being recorded', 'is recorded', 'being transcribed', 'is transcribed', 'taking notes', 'take notes', 'aufgezeichnet']

const ROOMS = ['breakout room', 'gruppenraum', 'subruimte', '分组讨论室']

const NOT_FOUND = ['microphone not found', 'camera not found', 'speaker not found', 'nicht gefunden']

export const CONTROLS = {
  // Before the meeting.
  nameField: [
    { css: 'input[type="text"][aria-label="Your name" i]' },
    { css: 'input[placeholder="Your name" i], input[aria-label^="Your name" i]' },
    { css: 'input[type="text"][jsname]' },
    { css: 'input[type="text"][maxlength="60"], input[autocomplete="name"]' },
    { css: 'input[aria-label*="name" i], input[placeholder*="name" i]' },
  ],
  join: [
    {
      says: [
        ...['Ask to join', 'Ask to join anyway', 'Join now', 'Join the call now', 'Join anyway', 'Join here too', 'Switch here'],
        ...['Join meeting', 'Join call', 'Continue to join'],
        ...['Teilnahme erbitten', 'Teilnahme anfragen', 'Jetzt teilnehmen', 'Trotzdem teilnehmen'],
        ...['Vragen om deel te nemen', 'Nu deelnemen', '请求加入', '申请加入', '立即加入', '仍要加入'],
      ],
    },
    { css: 'button[jsname="Qx7uuf"]' },
    { css: ['jff5ce', 'Cuz2Ue', 'A5il2e', 'QgSmzd'].map((name) => `button[jsname="${name}"]:not([aria-haspopup])`).join() },
    // In an unknown language: the button with text, and without a label, an icon or a menu.
    { css: 'button[jsname]:not([aria-label], [aria-haspopup], [aria-expanded]):has(span):not(:has(i, svg))' },
  ],

  // Notices.
  withoutDevices: [{ says: ['Continue without microphone and camera', 'Ohne Mikrofon und Kamera fortfahren'] }],
  withoutAccount: [{ says: ['Use without an account', 'Ohne Konto verwenden'] }],
  deviceError: [
    { about: NOT_FOUND, says: ['Dismiss', 'Close', 'Got it', 'OK', 'Schließen', 'Verstanden'] },
    { about: NOT_FOUND, css: 'button', icon: 'close' },
  ],
  keepWaiting: [{ says: ['Keep waiting', 'Weiter warten'] }],
  gotIt: [{ says: ['Got it', 'Ok, got it', 'Dismiss', 'OK', 'Verstanden', 'Schließen'] }],
  closeToast: [
    { css: '[role="alert"] button[aria-label^="Close" i], [role="status"] button[aria-label^="Close" i]' },
    { css: 'button[jsname="IbE0S"]' },
  ],
  consent: [
    { about: RECORDED, says: ['Join now', 'Jetzt teilnehmen', 'Nu deelnemen', '立即加入'] },
    { about: RECORDED, css: '[data-mdc-dialog-action="ok"]' },
    { css: '[role="dialog"][aria-modal="true"] [data-mdc-dialog-action="ok"]' },
  ],

  // The bot's microphone and camera, before and in the meeting, each by the button in that state.
  microphoneOn: [
    { css: PRESSED, says: ['Turn off microphone', 'Mikrofon ausschalten', 'Mikrofon deaktivieren', '关闭麦克风'] },
    { css: '[data-is-muted="false"]:is(button, [role="button"])', icon: 'mic' },
    { css: '[data-is-muted="false"][aria-label*="mic" i], [data-is-muted="false"][aria-label*="mik" i]' },
  ],
  microphoneOff: [
    { css: PRESSED, says: ['Turn on microphone', 'Mikrofon einschalten', 'Mikrofon aktivieren', '打开麦克风', '开启麦克风'] },
    { css: '[data-is-muted="true"]:is(button, [role="button"])', icon: 'mic_off' },
    { css: '[data-is-muted="true"][aria-label*="mic" i], [data-is-muted="true"][aria-label*="mik" i]' },
  ],
  cameraOn: [
    { css: PRESSED, says: ['Turn off camera', 'Kamera ausschalten', 'Kamera deaktivieren', '关闭摄像头'] },
    { css: '[data-is-muted="false"]:is(button, [role="button"])', icon: 'videocam' },
    { css: '[data-is-muted="false"][aria-label*="cam" i], [data-is-muted="false"][aria-label*="kam" i]' },
  ],
  cameraOff: [
    { css: PRESSED, says: ['Turn on camera', 'Kamera einschalten', 'Kamera aktivieren', '打开摄像头', '开启摄像头'] },
    { css: '[data-is-muted="true"]:is(button, [role="button"])', icon: 'videocam_off' },
    { css: '[data-is-muted="true"][aria-label*="cam" i], [data-is-muted="true"][aria-label*="kam" i]' },
  ],

  // In the meeting. The lobby also has the first one.
  leave: [
    { says: ['Leave call', 'Anruf verlassen', 'Salir de la llamada'] },
    { css: 'button[jsname="CQylAd"]' },
    { css: PRESSED, icon: 'call_end' },
  ],
  justLeave: [{ says: ['Just leave the call', 'Just leave the meeting', 'Nur Anruf verlassen'] }],
  chat: [
    { says: ['Chat with everyone', 'Mit allen chatten', 'Chat mit allen'] },
    { css: PRESSED, icon: 'chat' },
    { css: PRESSED, icon: 'chat_bubble' },
  ],
  people: [{ says: ['People', 'Show everyone', 'Personen', 'Alle anzeigen'] }, { css: PRESSED, icon: 'people' }],
  captionsAreOff: [
    { says: ['Turn on captions', 'Untertitel einschalten', 'Untertitel aktivieren'] },
    { css: PRESSED, icon: 'closed_caption_off' },
  ],
  captionsAreOn: [
    { says: ['Turn off captions', 'Untertitel ausschalten', 'Untertitel deaktivieren'] },
    { css: PRESSED, icon: 'closed_caption' },
  ],
  composer: [
    { css: 'textarea[aria-label^="Send a message" i], textarea[placeholder^="Send a message" i]' },
    { css: '[contenteditable="true"][aria-label^="Send a message" i], [aria-label^="Send a message" i] [contenteditable="true"]' },
    { css: 'aside textarea, [role="complementary"] textarea' },
    { css: 'aside [contenteditable="true"], [role="complementary"] [contenteditable="true"]' },
  ],

  // Breakout rooms.
  joinRoom: [{ about: ROOMS, says: ['Join', 'Join now', 'Teilnehmen', 'Beitreten', 'Deelnemen', '加入'] }],
  /** Only in a room. It leads back at the bot's own will. */
  returnToMain: [
    {
      says: ['Return to main call', 'Return to the main call', 'Zum Hauptanruf zurückkehren', 'Terug naar het hoofdgesprek', '返回主会议'],
    },
  ],

  // The way to the language of the captions.
  moreOptions: [
    { css: 'button[jsname="NakZHc"]', says: ['More options', 'Weitere Optionen'] },
    { css: '[role="region"] button', says: ['More options', 'Weitere Optionen'] },
    { css: '[role="region"] button', icon: 'more_vert' },
    { says: ['More options', 'Weitere Optionen'] },
  ],
  settings: [
    { css: 'li, [role="menuitem"]', says: ['Settings', 'Einstellungen'] },
    { css: 'li, [role="menuitem"]', icon: 'settings' },
  ],
  captionSettings: [
    { css: 'button[jsname="z4Tpl"]', says: ['Captions', 'Untertitel'] },
    { css: '[role="dialog"] button, [role="dialog"] [role="tab"]', says: ['Captions', 'Untertitel'] },
    { css: '[role="dialog"] button, [role="dialog"] [role="tab"]', icon: 'closed_caption' },
  ],
  captionLanguages: [
    { css: '[role="dialog"] [role="combobox"]', says: ['Meeting language', 'Language of the meeting'] },
    { css: '[role="dialog"] :is([role="combobox"], [aria-haspopup="listbox"])' },
  ],
  closeSettings: [
    { css: '[role="dialog"] button', says: ['Close dialog', 'Close dialogue', 'Close', 'Dialogfeld schließen', 'Schließen'] },
    { css: '[role="dialog"] button', icon: 'close' },
  ],
} as const satisfies Record<string, readonly Signal[]>

/** Never pressed: these lead elsewhere, or show unrequested panels. */
export const NEVER = [
  ...[
    'Other ways to join',
    'Join and use a phone for audio',
    'Present',
    'Companion mode',
    'Use Companion mode',
    'End the call for everyone',
  ],
  ...[
    'Ask to join again',
    'Andere Möglichkeiten',
    'Weitere Möglichkeiten',
    'Teilnehmen und',
    'Präsentieren',
    'Companion-Modus',
    'Bildschirm',
  ],
  ...['Andere manieren', 'Deelnemen en', 'Presenteren', '其他加入方式', '展示', '演示'],
]

/** The elements that show participants. */
export const PEOPLE: PeopleRules = {
  tile: '[data-participant-id], [data-requested-participant-id], [data-initial-participant-id]',
  ids: ['data-participant-id', 'data-requested-participant-id', 'data-initial-participant-id'],
  name: 'span.notranslate, [data-self-name]',
  self: ['(you)', '(sie)', '(du)'],
  /** The lobby has a tile without a participant: the switch for backgrounds. */
  phantoms: ['visual_effects', 'backgrounds and effects', 'hintergründe und effekte'],
  /** Placeholders instead of a name. */
  noNames: ['devices', 'visual_effects', 'more_vert', 'mic_off', 'mic'],
  source: 'data-ssrc',
  room: 'data-cohort-id',
}

/** Elements with participants' own text. */
export const TALK = [
  ...['aside', '[role="complementary"]', '[data-message-id]', '[role="region"][aria-label="Captions" i]'],
  ...['[role="region"][aria-label="Untertitel" i]', '[role="list"][aria-label="Participants" i]', PEOPLE.tile],
]

/** Elements with sent chat messages. */
export const CHAT_LINES = [
  '[data-message-id]',
  'aside',
  '[role="complementary"]',
  '[aria-label="Chat messages" i]',
  '[aria-label="In-call messages" i]',
]
