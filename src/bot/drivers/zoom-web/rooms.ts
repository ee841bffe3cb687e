// Breakout rooms in Zoom's web client: how they are recognised, and what is pressed to go along. Only the sentence of the invitation is known;
// the other texts are guessed.
import { sentences } from '../browser-meeting/common-rules.ts'
import type { RoomRules, ScreenRule, Signal } from '../browser-meeting/page-rules.ts'

const DIALOG = '.zm-modal button, .ReactModal__Content button'

export const ROOM_CONTROLS = {
  leaveRoom: [{ css: '#wc-footer button', says: ['Leave Room', 'Leave Breakout Room', 'Raum verlassen', 'Ruimte verlaten', '离开讨论室'] }],
  joinRoom: [
    {
      css: DIALOG,
      says: ['Join', 'Join Breakout Room', 'Beitreten', 'Deelnemen', '加入'],
      about: ['join breakout room', 'breakout-raum', 'breakout-room', '分组讨论'],
    },
  ],
  returnToMain: [{ css: DIALOG, says: ['Return to Main Session', 'Zur Hauptsitzung', 'Terug naar hoofdsessie', '返回主会议'] }],
} as const satisfies Record<string, readonly Signal[]>

export const ROOM_SENTENCES = {
  moving: sentences(
    ['joining breakout room', 'returning to main session', 'breakout-raum wird betreten', 'rückkehr zur hauptsitzung'],
    ['deelnemen aan breakout-room', 'terugkeren naar hoofdsessie', '正在加入分组讨论会议室', '正在返回主会议'],
  ),
}

export const MOVING: ScreenRule = { screen: 'moving', when: { all: [{ sentences: ['moving'] }, { not: { present: ['leave'] } }] } }

export const ROOM_RULES: RoomRules = {
  inside: { present: ['leaveRoom'] },
  besides: [],
  invitations: [
    ...['the host is inviting you to join breakout room:', 'joining breakout room:'],
    ...['der host lädt sie in den breakout-raum ein:', 'breakout-raum wird betreten:'],
    ...['de host nodigt u uit voor de breakout-room:', 'deelnemen aan breakout-room:'],
    ...['主持人邀请你加入分组讨论会议室：', '正在加入分组讨论会议室：'],
  ],
  follow: ['joinRoom', 'returnToMain'],
}
