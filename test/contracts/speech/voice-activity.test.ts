// The rebuilt voice activity network beside the model file of which it is made.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { modelFiles } from '../../../src/speech/models.ts'
import { floatSamples, WindowCutter } from '../../../src/speech/native/audio-windows.ts'
import { VoiceActivity } from '../../../src/speech/native/voice-activity.ts'
import { RATE, speech } from '../../helpers/speech/speech-audio.ts'
import { MODELS_FOLDER, SCRIPTS } from '../../helpers/speech/speech-native.ts'

const { voiceActivity: MODEL } = modelFiles(MODELS_FOLDER)
const OVERLAP = 64

let folder = ''
let windows: readonly Float32Array[] = []
let voiceActivity: VoiceActivity
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-voice-'))
  const { samples } = await speech(folder, SCRIPTS.rms, 'rms', [0.7, 1.3, 2])
  windows = new WindowCutter().push(floatSamples(samples).map((sample, at) => sample + noiseAt(at)))
  voiceActivity = await VoiceActivity.load(MODEL)
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Audible for the first ten seconds, so that the pauses of these are not skipped. */
const noiseAt = (at: number): number => (at < 10 * RATE ? 0.002 * Math.sin(at * at) : 0)

/** One run for each window, from an empty state after an inaudible one. */
async function ratedByTheModel(): Promise<readonly number[]> {
  const session = await InferenceSession.create(MODEL)
  const sr = new Tensor('int64', BigInt64Array.of(BigInt(RATE)), [1])
  const empty = new Tensor('float32', new Float32Array(256), [2, 1, 128])
  const probabilities: number[] = []
  let state: Tensor = empty
  for (const [at, window] of windows.entries()) {
    if (window.every((sample) => Math.abs(sample) < 0.001)) {
      state = empty
      probabilities.push(0)
      continue
    }
    const before = windows[at - 1]?.slice(-OVERLAP) ?? new Float32Array(OVERLAP)
    const outputs = await session.run({ input: new Tensor('float32', [...before, ...window], [1, OVERLAP + window.length]), state, sr })
    state = outputs.stateN as Tensor
    probabilities.push(Number(outputs.output?.data[0]))
  }
  return probabilities
}

test.each([1, 7, 1_000])('rates windows as the model does, %s windows at a time', { timeout: 60_000 }, async (count) => {
  const expected = await ratedByTheModel()
  expect(expected.filter((probability) => probability > 0.9).length).toBeGreaterThan(100)
  expect(expected.filter((probability) => probability > 0 && probability < 0.1).length).toBeGreaterThan(20)
  const detect = voiceActivity.detector()
  const rated: number[] = []
  for (let from = 0; from < windows.length; from += count) rated.push(...(await detect(windows.slice(from, from + count))))
  expect(rated).toHaveLength(expected.length)
  expect(Math.max(...rated.map((probability, at) => Math.abs(probability - (expected[at] ?? 1))))).toBeLessThan(0.0005)
})

test('keeps the state of each stream apart', { timeout: 60_000 }, async () => {
  const alone = await voiceActivity.detector()(windows)
  const [one, other] = [voiceActivity.detector(), voiceActivity.detector()]
  const rated: number[] = []
  for (let from = 0; from < windows.length; from += 50) {
    rated.push(...(await one(windows.slice(from, from + 50))))
    await other(windows.slice(from + 20, from + 40))
  }
  expect(Math.max(...rated.map((probability, at) => Math.abs(probability - (alone[at] ?? 1))))).toBeLessThan(0.0005)
})

test('rejects a file that is another model', async () => {
  const file = path.join(folder, 'other.onnx')
  await writeFile(file, '')
  await expect(VoiceActivity.load(file)).rejects.toThrow('not Silero VAD')
})
