// The choice of an encoder against a program that answers as ffmpeg does with and without hardware. Real hardware is not tested here.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildOf, chooseEncoder, encoderProblem } from './choose-encoder.ts'
import { type EncoderName, VIDEO_PRESETS } from './encoder.ts'

const folder = mkdtempSync(join(tmpdir(), 'fake-ffmpeg-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CODECS: Readonly<Record<EncoderName, string>> = { nvenc: 'h264_nvenc', vaapi: 'h264_vaapi', v4l2: 'h264_v4l2m2m', x264: 'libx264' }
/** What ffmpeg 5.1 says without the hardware. */
const COMPLAINTS: Readonly<Record<EncoderName, string>> = {
  nvenc: '[h264_nvenc @ 0xaaaaf7dffd10] Cannot load libcuda.so.1',
  vaapi: '[AVHWDeviceContext @ 0xaaaabc700950] No VA display found for device /dev/dri/renderD128.',
  v4l2: '[h264_v4l2m2m @ 0xaaaaf3d97d40] Could not find a valid device',
  x264: "Unknown encoder 'libx264'",
}

beforeAll(() => {
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '0', '-f', 'matroska']
  for (const [name, frames] of [['ten', '10'], ['three', '3']] as const) // biome-ignore format: pairs
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=64x36:rate=15',
      '-frames:v',
      frames,
      ...encode,
      join(folder, name),
    ])
})

/** `made`: the file that the working encoders answer with. */
function fakeFfmpeg(working: readonly EncoderName[], made: 'ten' | 'three' = 'ten'): string {
  const cases = (Object.keys(CODECS) as EncoderName[]).map((name) => {
    const answer = working.includes(name) ? `cat '${join(folder, made)}'; exit 0` : `echo "${COMPLAINTS[name]}" >&2; exit 1`
    return `*" ${CODECS[name]} "*) ${answer};;`
  })
  const program = join(folder, `ffmpeg-${working.join('-')}`)
  writeFileSync(program, `#!/bin/sh\ncase " $* " in\n${cases.join('\n')}\nesac\n`)
  chmodSync(program, 0o755)
  return program
}

test.each<readonly [string, readonly EncoderName[], EncoderName]>([
  ['x264 without hardware', ['x264'], 'x264'],
  ['nvenc before all others', ['x264', 'v4l2', 'vaapi', 'nvenc'], 'nvenc'],
  ['vaapi where nvenc does not work', ['x264', 'vaapi'], 'vaapi'],
  ['v4l2 where nothing else works', ['x264', 'v4l2'], 'v4l2'],
])('chooses %s for auto', async (_what, working, name) => {
  expect(await chooseEncoder('auto', 'small', fakeFfmpeg(working))).toEqual({ name, preset: 'small' })
})

test('chooses no encoder that loses frames for auto', async () => {
  const program = fakeFfmpeg(['nvenc', 'vaapi', 'v4l2'], 'three')
  expect(await chooseEncoder('auto', 'fast', program)).toEqual({ name: 'x264', preset: 'fast' })
  expect(await encoderProblem({ name: 'nvenc', preset: 'fast' }, program)).toBe('ffmpeg made 3 of 10 frames')
})

test('names the reason why an encoder does not work', async () => {
  expect(await encoderProblem({ name: 'vaapi', preset: 'balanced' }, fakeFfmpeg(['x264']))).toMatch(
    /: ended with 1: \[AVHWDeviceContext\] No VA display found for device \/dev\/dri\/renderD128$/,
  )
})

test.each(VIDEO_PRESETS)('finds no problem of x264 with the preset %s in the installed ffmpeg', async (preset) => {
  expect(await encoderProblem({ name: 'x264', preset })).toBeNull()
})

test('reads the version of ffmpeg, which is empty if it is not installed', async () => {
  expect(await buildOf()).toMatch(/^ffmpeg version \S+/)
  expect(await buildOf(join(folder, 'missing'))).toBe('')
})
