// The page of the built-in room as data: its controls, its screens, and the verdict of each screen.
import type { PageRules, Signal } from '../browser-meeting/page-rules.ts'

const byId = (id: string, more = ''): readonly Signal[] => [{ css: `[data-testid="${id}"]${more}` }]

/** The address contains all that the room asks for, so the bot presses nothing before admission. The page may take this long to join. */
const JOINS_WITHIN = 20

export const PAGE_RULES: PageRules = {
  controls: {
    nameField: byId('name'),
    join: byId('join'),
    leave: byId('leave'),
    justLeave: [],
    chat: byId('toggle-chat'),
    composer: byId('chat-text'),
    microphoneOn: byId('microphone', '[aria-pressed="true"]'),
    microphoneOff: byId('microphone', '[aria-pressed="false"]'),
    cameraOn: byId('camera', '[aria-pressed="true"]'),
    cameraOff: byId('camera', '[aria-pressed="false"]'),
    captionsAreOn: [],
    captionsAreOff: [],
    // Each screen has one element.
    call: byId('call'),
    waiting: byId('waiting'),
    over: byId('over'),
    full: byId('over', '[data-ending="full"]'),
    refused: byId('over', '[data-ending="refused"]'),
    badLink: [...byId('refused'), ...byId('over', '[data-ending="link_expired"]')],
  },
  never: [],
  people: { tile: '[data-testid="tile"]', ids: ['data-person'], name: '[data-name]', self: [], phantoms: [], noNames: [] },
  talk: ['[data-testid="panel"]', '[data-testid="tile"]', '[data-testid="knock"]'],
  chatLines: ['[data-testid="chat-line-text"]'],
  sentences: {},
  screens: {
    door: [
      { screen: 'inside', when: { present: ['call'] } },
      { screen: 'waiting', when: { present: ['waiting'] } },
      { screen: 'restricted', when: { present: ['full'] } },
      { screen: 'denied', when: { present: ['refused'] } },
      { screen: 'invalid', when: { present: ['badLink'] } },
      { screen: 'ended', when: { present: ['over'] } },
      { screen: 'prejoin', when: { visible: ['join'] } },
    ],
    // The page publishes how a call ended. Its last screen is the same after a lost connection and after the end.
    call: [{ screen: 'inside', when: { present: ['call'] } }],
  },
  verdicts: {
    restricted: { reason: 'MeetingRestricted', message: 'The room is full', afterSeconds: 0 },
    invalid: { reason: 'InvalidMeetingLink', message: 'The room does not accept the link', afterSeconds: 0 },
    ended: { reason: 'MeetingEnded', message: 'The meeting ended before the bot was admitted', afterSeconds: 0 },
    prejoin: { reason: 'InternalError', message: 'The room did not answer', afterSeconds: JOINS_WITHIN },
    unknown: { reason: 'InternalError', message: 'The room did not answer', afterSeconds: JOINS_WITHIN },
  },
  notices: { door: [], waiting: [], call: [] },
}
