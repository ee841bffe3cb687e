// People of a synthetic meeting, and their colours.
import type { Actor, Colour } from './media-meeting.ts'

export const RED = [220, 30, 30] as const
export const GREEN = [30, 200, 30] as const
export const WHITE = [255, 255, 255] as const
export const BLACK = [0, 0, 0] as const

/** Silent, with a camera from the start to `toMs`. */
export function participant(id: string, colour: Colour, toMs: number): Actor {
  return {
    id,
    stays: [{ fromMs: 0, toMs }],
    toneHz: 300,
    tones: [],
    videos: [{ spans: [{ fromMs: 0, toMs }], colour, size: '64x36', codec: 'vp8' }],
  }
}
