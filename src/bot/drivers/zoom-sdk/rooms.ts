// Breakout rooms in the SDK's client view. Its functions join no room by an invitation, so its buttons are pressed. Only the sentence of the
// invitation is known; the other texts are guessed.
import type { RoomRules, ScreenRule, Sentences, Signal } from '../browser-meeting/page-rules.ts'

const DIALOG = '.zm-modal button, .ReactModal__Content button'

export const ROOM_CONTROLS: Readonly<Record<string, readonly Signal[]>> = {
  leaveRoom: [{ css: '#wc-footer button', says: ['leave room', 'leave breakout room'] }],
  joinRoom: [{ css: DIALOG, says: ['join', 'join breakout room'], about: ['join breakout room'] }],
  returnToMain: [{ css: DIALOG, says: ['return to main session'] }],
}

export const ROOM_SENTENCES: Readonly<Record<string, Sentences>> = {
  moving: { says: ['joining breakout room', 'returning to main session'] },
}

export const MOVING: ScreenRule = { screen: 'moving', when: { all: [{ sentences: ['moving'] }, { not: { present: ['leave'] } }] } }

export const ROOM_RULES: RoomRules = {
  inside: { present: ['leaveRoom'] },
  besides: [],
  invitations: ['the host is inviting you to join breakout room:', 'joining breakout room:'],
  follow: ['joinRoom', 'returnToMain'],
}
