// What a user's own weights are is read from `model.json`; what is wrong with it is said by the field's name.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readOwnModel } from './own-model.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-own-model-'))
  for (const name of ['e.onnx', 'd.onnx', 'j.onnx', 'tokens.txt']) await writeFile(path.join(folder, name), '')
})
afterEach(() => rm(folder, { recursive: true }))

const write = (model: unknown) => writeFile(path.join(folder, 'model.json'), typeof model === 'string' ? model : JSON.stringify(model))
const inFolder = (name: string) => path.join(folder, name)
const FILES = { encoder: 'e.onnx', decoder: 'd.onnx', tokens: 'tokens.txt' }

test('whisper, with its language', async () => {
  await write({ kind: 'whisper', ...FILES, language: 'de' })
  expect(await readOwnModel(folder)).toEqual({
    name: `whisper: ${path.basename(folder)}`,
    config: { whisper: { encoder: inFolder('e.onnx'), decoder: inFolder('d.onnx'), language: 'de' }, tokens: inFolder('tokens.txt') },
  })
})

test.each([
  ['zipformer', {}],
  ['nemo_transducer', { modelType: 'nemo_transducer' }],
])('%s', async (kind, more) => {
  await write({ kind, ...FILES, joiner: inFolder('j.onnx') })
  const { config } = await readOwnModel(folder)
  const transducer = { encoder: inFolder('e.onnx'), decoder: inFolder('d.onnx'), joiner: inFolder('j.onnx') }
  expect(config).toEqual({ transducer, tokens: inFolder('tokens.txt'), ...more })
})

test.each([
  ['{', 'it must be a JSON object'],
  [[], 'it must be a JSON object'],
  [{}, 'kind must be one of whisper, zipformer, nemo_transducer, moonshine, not undefined'],
  [{ kind: 'toString' }, 'kind must be one of'],
  [{ kind: 'whisper', ...FILES, encoder: 7 }, 'encoder must be a text'],
  [{ kind: 'whisper', ...FILES, decoder: 'gone.onnx' }, 'decoder names the file "gone.onnx", which cannot be read'],
  [{ kind: 'whisper', ...FILES, joiner: 'j.onnx' }, 'joiner is unknown; whisper has kind, tokens, encoder, decoder, language, task'],
  [{ kind: 'zipformer', ...FILES }, 'joiner must be a text'],
  [{ kind: 'whisper', encoder: 'e.onnx', decoder: 'd.onnx' }, 'tokens must be a text'],
])('%j is refused', async (model, sentence) => {
  await write(model)
  await expect(readOwnModel(folder)).rejects.toThrow(`model.json of the own model: ${sentence}`)
})

test('a folder without a model.json is refused', async () => {
  await expect(readOwnModel(folder)).rejects.toThrow('model.json of the own model cannot be read')
})
