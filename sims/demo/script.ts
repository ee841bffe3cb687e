// The people of the demo and their actions. Seconds count from the moment the bot records.
import type { Script } from '../room/people.ts'

export const SECONDS = 20

export const PLAY: readonly Script[] = [
  {
    name: 'Ada',
    joinAt: null,
    colour: '#b03060',
    voice: 'en-gb',
    say: [
      { at: 1, text: 'Good morning everybody. The release goes out on Thursday.' },
      { at: 13, text: 'Then we are done. Thank you, and see you tomorrow.' },
    ],
    shareAt: 7,
    stopShareAt: 12,
  },
  {
    name: 'Ben',
    joinAt: null,
    colour: '#2e8b57',
    voice: 'en-us+m3',
    say: [{ at: 5, text: 'The tests are green on both machines. I will write the notes this afternoon.' }],
    chat: [{ at: 10, text: 'Notes: docs/release.md' }],
    leaveAt: 18,
  },
  {
    name: 'Cy',
    joinAt: null,
    colour: '#2040c0',
    voice: 'en-us+f3',
    say: [{ at: 9, text: 'I have one question about the price list.' }],
    muteAt: 16,
    leaveAt: SECONDS,
  },
]
