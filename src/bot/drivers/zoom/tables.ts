// The SDK's client view as data: its controls, its sentences, and what each screen means for a bot.
import type { ErrorReason } from '../../../domain/errors.ts'
import type { PlatformTables } from '../web-client/tables.ts'
import { SDK_ERRORS } from './errors.ts'

/** The callback with the code is more precise than the screen that is drawn beside it. */
const CALLBACK_WITHIN = 3
/** As long as the specification gives a connection. */
const CONNECTS_WITHIN = 60

const verdict = (code: number, afterSeconds = CALLBACK_WITHIN) => {
  const { reason, message } = SDK_ERRORS[code] ?? { reason: 'JoinRefused' as const, message: '' }
  return { reason, message, afterSeconds }
}

const notConnected = {
  reason: 'ConnectionLost' as ErrorReason,
  message: `Zoom could not be connected within ${CONNECTS_WITHIN} seconds, often because of a wrong passcode`,
  afterSeconds: CONNECTS_WITHIN,
}

export const TABLES: PlatformTables = {
  controls: {
    nameField: [],
    join: [],
    leave: [{ css: '[footer-section="right"] button[aria-label="Leave"]' }, { css: '#wc-footer button[aria-label="Leave"]' }],
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
    // The same button turns the microphone on and off once sound is joined: only its words tell.
    joinAudio: [
      { says: ['join audio by computer', 'join with computer audio'] },
      { css: '.join-audio-container__btn', says: ['join audio'] },
    ],
    disclaimer: [{ css: '#disclaimer_agree' }],
    recordingNotice: [{ css: '.zm-modal button, .ReactModal__Content button, .relative-tooltip button', says: ['got it'] }],
    // The request itself is made by the SDK's own function.
    permissionNotice: [
      { css: '.zm-modal button, .ReactModal__Content button', says: ['cancel', 'close', 'ok'], about: ['permission needed'] },
    ],
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
    wrongPasscode: { says: ['passcode wrong', 'incorrect passcode', 'passcode is wrong', 'passcode is invalid'] },
    botWall: { says: ["automated bots aren't allowed", 'we detected you may be a bot'] },
    captcha: { says: ['check captcha', 'please check the captcha', 'you failed the recaptcha verification', 'verify to continue'] },
    signIn: {
      says: ['requires authentication', 'authentication is required', 'only authenticated users can join', 'sign in to join this meeting'],
    },
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
      // Where sound is not joined by itself, the SDK calls the bot inside only after the button.
      { screen: 'inside', when: { visible: ['joinAudio'] } },
      { screen: 'refused', when: { sentences: ['botWall'] } },
      { screen: 'invalid', when: { sentences: ['wrongPasscode'] } },
      { screen: 'captcha', when: { any: [{ captcha: true }, { sentences: ['captcha'] }] } },
      { screen: 'sign_in', when: { sentences: ['signIn'] } },
      { screen: 'restricted', when: { sentences: ['locked'] } },
      { screen: 'full', when: { sentences: ['full'] } },
      { screen: 'denied', when: { sentences: ['removed'] } },
      { screen: 'ended', when: { any: [{ sentences: ['ended'] }, { present: ['afterwards'] }] } },
      { screen: 'lost', when: { sentences: ['timedOut'] } },
    ],
    call: [
      { screen: 'removed', when: { sentences: ['removed'] } },
      { screen: 'ended', when: { any: [{ sentences: ['ended'] }, { present: ['afterwards'] }] } },
    ],
  },
  verdicts: {
    refused: {
      reason: 'JoinRefused',
      message: 'Zoom takes the bot for an automated one, and the host allows none. Ask the host to allow it, or pass zak_url or obf_url',
      afterSeconds: CALLBACK_WITHIN,
    },
    invalid: verdict(3004),
    captcha: verdict(3634),
    sign_in: verdict(4012),
    restricted: verdict(4006),
    full: verdict(4005),
    ended: verdict(4004),
    lost: { ...notConnected, afterSeconds: CALLBACK_WITHIN },
    blank: notConnected,
    unknown: notConnected,
  },
  notices: {
    door: [],
    waiting: ['disclaimer'],
    call: ['disclaimer', 'permissionNotice', 'recordingNotice', 'tips', 'joinAudio'],
  },
  captionsMenu: ['moreControls', 'captions'],
}
