// The options of the encoders, by what the picture shows.
import { expect, test } from 'vitest'
import { type Encoder, encodingArgs, VIDEO_PRESETS } from './encoder.ts'

function crfOf(encoder: Encoder, shows: 'screen' | 'cameras'): number {
  const { output } = encodingArgs(encoder, 15, { shows, besideCopies: false })
  return Number(output[output.indexOf('-crf') + 1])
}

test.each(VIDEO_PRESETS)('keeps more of a shared screen than of cameras with the x264 preset %s', (preset) => {
  expect(crfOf({ name: 'x264', preset }, 'screen')).toBeLessThan(crfOf({ name: 'x264', preset }, 'cameras'))
})

test('sets no constant rate factor for hardware encoders', () => {
  for (const name of ['nvenc', 'vaapi', 'v4l2'] as const)
    expect(encodingArgs({ name, preset: 'balanced' }, 15, { shows: 'screen', besideCopies: false }).output).not.toContain('-crf')
})
