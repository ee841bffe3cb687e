// How the controls of Zoom's web client are found: each by several independent signals, in order of trust.
import type { PeopleRules, Signal } from '../browser-meeting/page-rules.ts'
import { ROOM_CONTROLS } from './rooms.ts'

const FOOTER = '#wc-footer'
const JOIN = ['Join', 'Join Meeting', 'Beitreten', 'Am Meeting teilnehmen', 'Deelnemen', 'Deelnemen aan vergadering', '加入', '加入会议']
const LEAVE = ['Leave', 'Verlassen', 'Verlaten', '离开']
const CHAT = ['open the chat panel', 'Chatfenster öffnen', 'open het chatpaneel', '打开聊天面板']

export const CONTROLS = {
  // The launcher, cookies and terms.
  fromBrowser: [
    { says: ['Join from your browser', 'Join from Browser', 'Mit Ihrem Browser anmelden', 'Deelnemen via uw browser', '从浏览器加入'] },
  ],
  cookies: [{ css: '#onetrust-reject-all-handler' }, { css: '#onetrust-accept-btn-handler' }],
  /** Terms, the account's own disclaimer, and the consent to being recorded by others. */
  agree: [
    { css: '#wc_agree1' },
    { css: '#disclaimer_agree' },
    { css: '.zm-modal button', says: ['Agree', 'Einverstanden', 'Accepteren', '同意'] },
  ],

  // Before the meeting.
  nameField: [{ css: '#input-for-name' }, { css: '#inputname' }, { css: 'input[placeholder="Your Name" i]' }],
  passcodeField: [{ css: '#input-for-pwd' }, { css: 'input[type="password"]' }, { css: 'input[placeholder*="passcode" i]' }],
  join: [
    { css: 'button.preview-join-button:not(.disabled)' },
    { css: '#joinBtn' },
    { css: '.preview-root button, .mini-layout-body button', says: JOIN },
  ],
  imageCaptcha: [{ css: '.component_smart_captcha' }, { css: '.CaptchaContainer' }],
  signIn: [{ css: 'button.login-btn-zoom' }],
  /** Two cards may ask for it, one after the other. Without it the bot receives no audio. */
  allowDevices: [{ css: 'button', says: ['Allow', 'Zulassen', 'Toestaan', '允许'] }],

  // The bot's own microphone and camera, before and in the meeting, each by the control in that state.
  microphoneOn: [
    { css: '#preview-audio-control-button[aria-label^="Mute" i]' },
    { css: `${FOOTER} button[aria-label^="mute my microphone" i]` },
  ],
  microphoneOff: [
    { css: '#preview-audio-control-button[aria-label^="Unmute" i]' },
    { css: `${FOOTER} button[aria-label^="unmute my microphone" i]` },
  ],
  cameraOn: [
    { css: '#preview-video-control-button[aria-label^="Stop" i]' },
    { css: `${FOOTER} button[aria-label^="stop" i][aria-label*="video" i]` },
  ],
  cameraOff: [
    { css: '#preview-video-control-button[aria-label^="Start" i]' },
    { css: `${FOOTER} button[aria-label^="start" i][aria-label*="video" i]` },
  ],

  // In the meeting. Zoom sends no audio to a client that has not joined audio.
  joinAudio: [
    { css: '.join-audio-by-voip__join-btn' },
    // Once audio is joined, the same button turns the microphone on and off: only its label differs.
    { css: '.join-audio-container__btn', says: ['Join Audio', 'Audio beitreten', 'Deelnemen aan audio', '连接语音'] },
    {
      says: [
        'Join Audio by Computer',
        'Join with Computer Audio',
        'An Audio per Computer teilnehmen',
        'Deelnemen met computeraudio',
        '通过计算机连接语音',
      ],
    },
  ],
  closePopup: [
    {
      css: '.relative-tooltip button, .settings-feature-tips button, .zm-modal button',
      says: ['Got it', 'OK', 'Verstanden', 'Begrepen', '知道了', '确定'],
    },
  ],
  /** Asked once captions are turned on. */
  captionLanguage: [
    {
      css: '.zm-modal button',
      says: ['Save', 'Speichern', 'Opslaan', '保存'],
      about: ['caption language', 'untertitelsprache', 'ondertitelingstaal', '字幕语言'],
    },
  ],
  transcribed: [{ css: '.zm-modal button', says: ['OK', '确认', '确定'], about: ['transcri', 'transkri', 'getranscribeerd', '转录'] }],
  ...ROOM_CONTROLS,
  dialog: [{ css: '.zm-modal-body-title' }],
  leave: [{ css: `${FOOTER} [footer-section="right"] button[aria-label="Leave" i]` }, { css: `${FOOTER} button`, says: LEAVE }],
  justLeave: [{ css: 'button.leave-meeting-options__btn--danger' }],
  chat: [{ css: `${FOOTER} button[aria-label^="open the chat" i]` }, { css: `${FOOTER} button`, says: CHAT }],
  composer: [{ css: '.chat-rtf-box__editor-outer [contenteditable="true"]' }, { css: '.tiptap.ProseMirror[contenteditable="true"]' }],
  more: [{ css: `${FOOTER} [aria-label^="More meeting control" i]` }],
  captionsMenu: [{ css: 'a[aria-label="Captions" i]' }, { css: `${FOOTER} a`, says: ['Untertitel', 'Ondertiteling', '字幕'] }],
  captionsAreOff: [
    { css: 'a[aria-label$="Show Captions" i]' },
    { css: `${FOOTER} a`, says: ['Untertitel anzeigen', 'Ondertiteling weergeven', '显示字幕'] },
  ],
  captionsAreOn: [{ css: '#live-transcription-subtitle:not([hidden])' }, { css: 'a[aria-label$="Hide Captions" i]' }],
} as const satisfies Record<string, readonly Signal[]>

/** Never pressed: these lead to the app, to a phone, or end the meeting. */
export const NEVER = ['Launch Meeting', 'Download Now', 'Phone Call', 'Call Me', 'End Meeting for All', 'Meeting für alle beenden']

/** The rows of the participants' pane, used until the platform's own messages arrive. */
export const PEOPLE: PeopleRules = {
  tile: '.participants-li',
  ids: ['id'],
  name: '.participants-item__display-name',
  self: ['(me)', '(ich)', '(ik)', '(我)'],
  phantoms: [],
  noNames: [],
}

/** Elements with sent chat messages. */
export const CHAT_LINES = ['.chat-rtf-box__display']

/** Elements with participants' own text. */
export const TALK = [
  '#chat-list-content',
  '.chat-rtf-box__editor-outer',
  '#aria-notify-area',
  '#live-transcription-subtitle',
  '.video-avatar__avatar-footer',
  '.participants-section-container',
  PEOPLE.tile,
]
