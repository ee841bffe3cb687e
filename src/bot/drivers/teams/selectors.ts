// How the controls of Microsoft Teams are found: each by several independent signals, in order of trust.
import type { PeopleRules, Signal } from '../browser-meeting/page-rules.ts'

/** The page before the meeting. Its other text fields are for other values, such as a passcode. */
const PREJOIN = 'body:has([data-tid^="prejoin-"])'
const NO_DEVICES = ["don't want audio or video", 'weder audio noch video', 'geen audio of video', '不使用音频或视频']
const ALLOW = ['select allow to let', 'wählen sie „zulassen“', 'selecteer toestaan', '选择“允许”']
const CLOSE = ['button[aria-label="Close" i]', 'button[title="Close" i]', 'button[aria-label="Dismiss" i]']

export const CONTROLS = {
  // The launcher.
  onWeb: [
    { css: 'button[data-tid="joinOnWeb"]' },
    {
      says: [
        ...['Join meeting from this browser', 'Continue on this browser', 'Join on this browser', 'Join from browser'],
        ...['Use the web app instead', 'In diesem Browser fortfahren', 'Doorgaan in deze browser', '在此浏览器中继续'],
      ],
    },
  ],

  // Before the meeting.
  nameField: [
    { css: 'input[data-tid="prejoin-display-name-input"]' },
    { css: 'input[placeholder="Type your name" i], input[aria-label="Type your name" i]' },
    { css: `${PREJOIN} input:is([placeholder*="name" i], [aria-label*="name" i])` },
    { css: `${PREJOIN} input[type="text"]` },
  ],
  join: [
    { css: 'button[data-tid="prejoin-join-button"]' },
    {
      css: `${PREJOIN} button`,
      says: [
        ...['Join now', 'Ask to join', 'Join meeting', 'Jetzt teilnehmen', 'Teilnahme anfragen', 'An Besprechung teilnehmen'],
        ...['Nu deelnemen', 'Vragen om deel te nemen', 'Deelnemen aan vergadering', '立即加入', '请求加入', '加入会议'],
      ],
    },
    // In a language without text here: the button beside Cancel.
    { css: '[data-tid="prejoin-cancel-button"] ~ button' },
    { css: ':has(> [data-tid="prejoin-cancel-button"]) > button:not([data-tid])' },
  ],
  passcode: [
    { css: 'input[placeholder="Type a meeting passcode" i]' },
    { css: 'input:is([placeholder*="passcode" i], [aria-label*="passcode" i])' },
  ],
  loginForm: [{ css: 'input[name="loginfmt"][type="email"]' }],
  encryptionError: [{ css: '[data-tid="calling-e2ee-end-screen"]' }],

  // Notices.
  withoutDevices: [
    {
      says: [
        ...['Continue without audio or video', 'Ohne Audio oder Video fortfahren', 'Doorgaan zonder audio of video'],
        ...['继续而不使用音频或视频'],
      ],
    },
    { css: '[role="dialog"] button', about: NO_DEVICES },
  ],
  allowDevices: [{ css: '[role="dialog"] button', about: ALLOW }],
  /** Another participant records with explicit consent. Until that is answered, it covers the call. The texts are guessed. */
  consent: [
    {
      css: '[role="dialog"] button, [role="alertdialog"] button',
      says: [
        ...['Yes', 'Yes, I consent', 'I consent', 'Consent', 'I agree', 'Agree', 'Accept', 'Ja', 'Ja, ich stimme zu', 'Zustimmen'],
        ...['Ja, ik ga akkoord', 'Akkoord', '是', '是,我同意', '同意'],
      ],
      about: ['consent', 'einwilligung', 'toestemming', '同意'],
    },
  ],
  closePopup: [{ css: CLOSE.map((it) => `${it}:not(aside *, [role="complementary"] *)`).join() }],

  // The bot's microphone and camera, before and in the meeting, each by the control in that state.
  microphoneOn: [
    { css: '[data-tid="toggle-mute"]:is([aria-checked="true"], :checked)' },
    { css: '[data-cid="toggle-mute-true"]:is([role="switch"], button), [data-cid="toggle-mute-true"] button' },
    { css: '#microphone-button', says: ['Mute', 'Mikrofon stumm', 'Microfoon dempen', '麦克风静音'] },
    { css: 'button[aria-label="Mute mic" i], button[title="Mute" i]' },
  ],
  microphoneOff: [
    { css: '[data-tid="toggle-mute"][aria-checked="false"]' },
    { css: '[data-cid="toggle-mute-false"]:is([role="switch"], button), [data-cid="toggle-mute-false"] button' },
    { css: '#microphone-button', says: ['Unmute', 'Mikrofonstumm', 'Dempen van', '取消麦克风静音'] },
    { css: 'button[aria-label="Unmute mic" i], button[title="Unmute" i]' },
  ],
  cameraOn: [
    { css: '[data-tid="toggle-video"]:is([aria-checked="true"], :checked)' },
    { css: '[data-cid="toggle-video-true"]:is([role="switch"], button), [data-cid="toggle-video-true"] button' },
    { css: '#video-button', says: ['Turn camera off', 'Turn off camera', 'Kamera ausschalten', 'Camera uitschakelen', '关闭相机'] },
    {
      css: 'button[aria-label*="Turn camera off" i], button[aria-label*="Turn off camera" i], [aria-label="Camera" i][aria-checked="true"]',
    },
  ],
  cameraOff: [
    { css: '[data-tid="toggle-video"][aria-checked="false"]' },
    { css: '[data-cid="toggle-video-false"]:is([role="switch"], button), [data-cid="toggle-video-false"] button' },
    { css: '#video-button', says: ['Turn camera on', 'Turn on camera', 'Kamera einschalten', 'Camera inschakelen', '打开相机'] },
    {
      css: 'button[aria-label*="Turn camera on" i], button[aria-label*="Turn on camera" i], [aria-label="Camera" i][aria-checked="false"]',
    },
  ],

  // In the meeting.
  leave: [
    { css: '#hangup-button, [data-tid="hangup-main-btn"], [data-inp="hangup-button"], [data-tid="call-hangup"]' },
    { css: '[role="toolbar"] button', says: ['Leave', 'Verlassen', 'Verlaten', '离开'] },
  ],
  /** Leaving needs no confirmation. */
  justLeave: [],
  moreOptions: [{ css: '#callingButtons-showMoreBtn' }],
  raise: [{ css: '#raisehands-button' }],
  chat: [{ css: 'button#chat-button' }, { css: '[role="toolbar"] button', says: ['Chat', '聊天'] }],
  people: [{ css: '#roster-button' }, { css: '[role="toolbar"] button', says: ['People', 'Personen', '人员'] }],
  joinRoom: [
    { css: '[role="dialog"] button, [role="alert"] button', says: ['Join room', 'Raum beitreten', 'Deelnemen aan ruimte', '加入会议室'] },
    { says: ['Join room', 'Raum beitreten'] },
  ],
  /** In a question. The button of the toolbar leaves a room at the bot's own will. */
  returnNow: [
    {
      css: '[role="dialog"] button, [role="alert"] button',
      says: ['Return', 'Zurückkehren', 'Terugkeren', '返回'],
    },
  ],
  returnToMeeting: [{ css: '[role="toolbar"] button', says: ['Return', 'Zurückkehren', 'Terugkeren', '返回'] }],
  languageAndSpeech: [{ css: '#LanguageSpeechMenuControl-id' }],
  captionsAreOff: [{ css: '#closed-captions-button', says: ['Turn on', 'Captions', 'Liveuntertitel einschalten'] }],
  captionsAreOn: [{ css: '#closed-captions-button', says: ['Turn off', 'Liveuntertitel ausschalten'] }],
  composer: [
    { css: '[contenteditable="true"]:is([aria-label="Type a message" i], [placeholder="Type a message" i])' },
    { css: '[data-tid="ckeditor"][contenteditable="true"], aside [contenteditable="true"]' },
  ],
} as const satisfies Record<string, readonly Signal[]>

/** Never pressed: these lead to the app, to a phone or out of the meeting. */
export const NEVER = [
  ...['Join on the Teams app', 'Download the Teams app', 'Über die Teams-App', 'Teams-App herunterladen', 'Deelnemen via de Teams-app'],
  ...['De Teams-app downloaden', '在 Teams 应用', '下载 Teams', 'Phone audio', 'End meeting'],
]

/** The elements that show participants. */
export const PEOPLE: PeopleRules = {
  tile: '[data-stream-type="Video"][data-tid], [data-cid="calling-participant-stream"]',
  ids: ['data-tid', 'aria-label'],
  name: '[data-tid="participant-info-nametag"]',
  self: ['(you)', '(sie)', '(u)'],
  phantoms: [],
  /** Badges may be glued to the name, and are in English in every language that was seen. The longest first. */
  besides: [
    ...['External unfamiliar', 'Unverified', 'External', 'Guest', ', unmuted', ', muted', ', Stummschaltung aufgehoben'],
    ...[', stummgeschaltet', ', niet gedempt', ', gedempt', ', 已静音', ', 未静音'],
  ],
  /** Placeholders instead of a name. */
  noNames: ['Unknown user', 'Unbekannter Benutzer', 'Onbekende gebruiker', '未知用户'],
}

/** Elements with participants' own text. */
export const TALK = [
  ...['aside', '[role="complementary"]', '[data-tid="chat-pane-item"]', '[data-tid="closed-caption-renderer-wrapper"]'],
  ...['[data-tid="stage-layout"] [data-tid="participant-info-nametag"]', '[role="tree"]', PEOPLE.tile],
]

/** Elements with sent chat messages. */
export const CHAT_LINES = ['[data-tid="chat-pane-message"]', '[data-tid="messageBodyContent"]']
