// ONNX Runtime sends figures about the machine to its maker unless that is switched off, and stores an id for them in the home folder.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { modelFiles } from '../../../src/speech/models.ts'
import { RECOGNISER_ENVIRONMENT } from '../../../src/speech/native/recogniser-pool.ts'
import { MODELS_FOLDER } from '../../helpers/speech/speech-native.ts'

test('stores no telemetry of a recognition process', () => {
  const home = mkdtempSync(join(tmpdir(), 'emissary-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const module = new URL('../../../src/speech/native/voice-activity.ts', import.meta.url).href
  const program = `const { VoiceActivity } = await import(${JSON.stringify(module)})
await VoiceActivity.load(${JSON.stringify(modelFiles(MODELS_FOLDER).voiceActivity)})
console.log('loaded')`
  const env = { ...RECOGNISER_ENVIRONMENT, HOME: home }
  const output = execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program], { env })
  expect(output.toString()).toContain('loaded')
  expect(readdirSync(home)).toEqual([])
})
