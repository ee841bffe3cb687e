// The SDK's client view as page rules: controls, sentences, screens, and a verdict for each screen.
import type { ErrorReason } from '../../../domain/errors.ts'
import type { PageRules } from '../browser-meeting/page-rules.ts'
import { SDK_ERRORS } from './errors.ts'
import { MOVING, ROOM_CONTROLS, ROOM_RULES, ROOM_SENTENCES } from './rooms.ts'

/** The SDK's callback has an exact code, so the screen beside it counts only after these seconds. */
const CALLBACK_WITHIN = 3
/** The specification's limit for a connection, in seconds. */
const CONNECTS_WITHIN = 60

const verdict = (code: number, afterSeconds = CALLBACK_WITHIN) => {
  const { reason, message } = SDK_ERRORS[code] ?? { reason: 'JoinRefused' as const, message: '' }
  return { reason, message, afterSeconds }
}

const NOT_CONNECTED = {
  reason: 'ConnectionLost' as ErrorReason,
  message: `Zoom did not connect within ${CONNECTS_WITHIN} seconds, often because of a wrong passcode`,
}

/** A stalled client is reloaded. All tries together share the limit of a connection. */
const stalled = (most: number, afterSeconds: number) => ({
  ...NOT_CONNECTED,
  afterSeconds: CONNECTS_WITHIN - most * afterSeconds,
  reload: { most, afterSeconds },
})

export const PAGE_RULES: PageRules = {
  controls: {
    nameField: [],
    join: [],
    leave: [{ css: '[footer-section="right"] button[aria-label^="Leave"]' }, { css: '#wc-footer button[aria-label^="Leave"]' }],
    justLeave: [{ css: 'button.leave-meeting-options__btn--danger' }],
    chat: [{ says: ['open the chat panel'] }],
    composer: [],
    microphoneOn: [{ says: ['mute my microphone'] }],
    microphoneOff: [{ says: ['unmute my microphone'] }],
    cameraOn: [{ says: ['stop my video', 'stop sending my video', 'stop video'] }],
    cameraOff: [{ says: ['start my video', 'start sending my video', 'start video'] }],
    captionsAreOn: [
      { css: '#live-transcription-subtitle:not([hidden])' },
      { css: '[aria-label="Your caption settings grouping Hide Captions"]' },
    ],
    captionsAreOff: [{ css: '[aria-label="Your caption settings grouping Show Captions"]' }, { css: 'a', says: ['show captions'] }],
    moreControls: [{ css: '[aria-label^="More meeting control"]' }],
    captions: [{ css: 'a[aria-label="Captions"], button[aria-label="Captions"]' }],
    // After audio is joined the same button mutes the microphone, so only its label is reliable.
    joinAudio: [
      { says: ['join audio by computer', 'join with computer audio'] },
      { css: '.join-audio-container__btn', says: ['join audio'] },
    ],
    imageCaptcha: [{ css: '.component_smart_captcha' }, { css: '.CaptchaContainer' }],
    disclaimer: [{ css: '#disclaimer_agree' }],
    recordingNotice: [{ css: '.zm-modal button, .ReactModal__Content button, .relative-tooltip button', says: ['got it'] }],
    // The page requests the permission through the SDK, so its dialog is only closed.
    permissionNotice: [
      { css: '.zm-modal button, .ReactModal__Content button', says: ['cancel', 'close', 'ok'], about: ['permission needed'] },
    ],
    captionLanguage: [{ css: '.zm-modal button, .ReactModal__Content button', says: ['save'], about: ['caption language'] }],
    transcribed: [{ css: '.zm-modal button, .ReactModal__Content button', says: ['ok', 'got it'], about: ['transcri'] }],
    // The host of a webinar makes the bot a panelist, who may ask for permission to record.
    panelist: [
      {
        css: '.zm-modal button, .ReactModal__Content button',
        says: ['join as panelist', 'join as a panelist', 'accept', 'join', 'ok'],
        about: ['panelist'],
      },
    ],
    ...ROOM_CONTROLS,
    tips: [{ css: '.settings-feature-tips button', says: ['ok'] }],
    afterwards: [{ css: 'body[data-left]' }],
  },
  never: [],
  people: {
    tile: 'video-player[node-id]',
    ids: ['node-id'],
    name: '.video-avatar__avatar-footer span',
    self: [],
    phantoms: [],
    noNames: [],
  },
  talk: ['.new-chat-message__container', '.chat-item__sender', '#live-transcription-subtitle', '.video-avatar__avatar-footer'],
  chatLines: ['.chat-rtf-box__display'],
  sentences: {
    ...ROOM_SENTENCES,
    wrongPasscode: { says: ['passcode wrong', 'incorrect passcode', 'passcode is wrong', 'passcode is invalid'] },
    botWall: { says: ["automated bots aren't allowed", 'we detected you may be a bot'] },
    captcha: { says: ['check captcha', 'please check the captcha', 'you failed the recaptcha verification', 'verify to continue'] },
    imageCaptcha: { says: ['type the characters you see'] },
    signIn: {
      says: ['requires authentication', 'authentication is required', 'only authenticated users can join', 'sign in to join this meeting'],
    },
    registration: { says: [], lines: ['registration meeting', 'registration webinar', 'meeting registration', 'webinar registration'] },
    locked: { says: ['host has locked this meeting'] },
    full: { says: ['meeting capacity has been reached'] },
    ended: {
      says: [
        'has been ended by host',
        'the meeting has been ended',
        'this free zoom meeting has ended',
        'has started a new meeting with this account',
      ],
    },
    removed: { says: ['you have been removed', 'you were previously removed'] },
    timedOut: { says: ['network connection has timed out', 'joining meeting timeout'] },
  },
  screens: {
    door: [
      // Without automatic audio the SDK reports `inside` only after this button is pressed.
      { screen: 'inside', when: { visible: ['joinAudio'] } },
      { screen: 'refused', when: { sentences: ['botWall'] } },
      { screen: 'invalid', when: { sentences: ['wrongPasscode'] } },
      { screen: 'image_captcha', when: { any: [{ visible: ['imageCaptcha'] }, { sentences: ['imageCaptcha'] }] } },
      { screen: 'captcha', when: { any: [{ captcha: true }, { sentences: ['captcha'] }] } },
      { screen: 'registration', when: { sentences: ['registration'] } },
      { screen: 'sign_in', when: { sentences: ['signIn'] } },
      { screen: 'restricted', when: { sentences: ['locked'] } },
      { screen: 'full', when: { sentences: ['full'] } },
      { screen: 'denied', when: { sentences: ['removed'] } },
      { screen: 'ended', when: { any: [{ sentences: ['ended'] }, { present: ['afterwards'] }] } },
      { screen: 'lost', when: { sentences: ['timedOut'] } },
      { screen: 'prejoin', when: { visible: ['disclaimer'] } },
      { screen: 'blank', when: { empty: true } },
    ],
    call: [
      MOVING,
      { screen: 'removed', when: { sentences: ['removed'] } },
      { screen: 'ended', when: { any: [{ sentences: ['ended'] }, { present: ['afterwards'] }] } },
    ],
  },
  verdicts: {
    refused: {
      reason: 'JoinRefused',
      message: 'Zoom recognised an automated client, and the meeting allows none. Ask the host to allow bots, or pass zak_url or obf_url',
      afterSeconds: CALLBACK_WITHIN,
    },
    invalid: verdict(3004),
    captcha: verdict(3634),
    image_captcha: verdict(3634),
    registration: verdict(3099),
    sign_in: verdict(4012),
    restricted: verdict(4006),
    full: verdict(4005),
    ended: verdict(4004),
    lost: { ...NOT_CONNECTED, afterSeconds: CALLBACK_WITHIN },
    prejoin: {
      reason: 'JoinRefused',
      message: 'The disclaimer of the meeting could not be accepted. Ask the host to turn it off',
      afterSeconds: CONNECTS_WITHIN,
    },
    blank: stalled(2, 12),
    unknown: stalled(1, 25),
  },
  notices: {
    door: ['disclaimer'],
    waiting: ['disclaimer'],
    call: ['disclaimer', 'permissionNotice', 'recordingNotice', 'panelist', 'captionLanguage', 'transcribed', 'tips', 'joinAudio'],
  },
  rooms: ROOM_RULES,
  captionsMenu: ['moreControls', 'captions'],
  captionDialogs: ['captionLanguage', 'transcribed'],
}
