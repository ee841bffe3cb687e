// Who meets in the demo, and what they say and do. Seconds count from the common start.
import type { Script } from '../people.ts'

export const SECONDS = 24

export const PLAY: readonly Script[] = [
  {
    name: 'Ada',
    colour: '#b03060',
    voice: 'en-gb',
    say: [
      { at: 5, text: 'Good morning everybody. The release goes out on Thursday.' },
      { at: 17, text: 'Then we are done. Thank you, and see you tomorrow.' },
    ],
    shareAt: 11,
    stopShareAt: 16,
  },
  {
    name: 'Ben',
    colour: '#2e8b57',
    voice: 'en-us+m3',
    say: [{ at: 9, text: 'The tests are green on both machines. I will write the notes this afternoon.' }],
    chat: [{ at: 14, text: 'Notes: docs/release.md' }],
    leaveAt: 22,
  },
  {
    name: 'Cy',
    colour: '#2040c0',
    voice: 'en-us+f3',
    say: [{ at: 13, text: 'I have one question about the price list.' }],
    muteAt: 20,
    leaveAt: SECONDS,
  },
]
