// The options of the encoders, by what the picture shows.
import { expect, test } from 'vitest'
import { encodingArgs, VIDEO_PRESETS } from './encoder.ts'

function crfOf(...[encoder, content]: [Parameters<typeof encodingArgs>[0], Parameters<typeof encodingArgs>[2]]): number {
  const { output } = encodingArgs(encoder, 15, content)
  return Number(output[output.indexOf('-crf') + 1])
}

test.each(VIDEO_PRESETS)('x264 with the preset %s keeps more of a shared screen than of cameras', (preset) => {
  expect(crfOf({ name: 'x264', preset }, 'screen')).toBeLessThan(crfOf({ name: 'x264', preset }, 'cameras'))
})

test('hardware encoders get no constant rate factor', () => {
  for (const name of ['nvenc', 'vaapi', 'v4l2'] as const)
    expect(encodingArgs({ name, preset: 'balanced' }, 15, 'screen').output).not.toContain('-crf')
})
