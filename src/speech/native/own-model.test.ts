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

test('reads a whisper model with its language', async () => {
  await write({ kind: 'whisper', ...FILES, language: 'de' })
  expect(await readOwnModel(folder)).toEqual({
    name: `whisper: ${path.basename(folder)}`,
    config: { whisper: { encoder: inFolder('e.onnx'), decoder: inFolder('d.onnx'), language: 'de' }, tokens: inFolder('tokens.txt') },
  })
})

test.each([
  ['zipformer', {}],
  ['nemo_transducer', { modelType: 'nemo_transducer' }],
])('reads a model of kind %s', async (kind, more) => {
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
  [{ kind: 'whisper', ...FILES, encoder: 7 }, 'encoder must be a non-empty string'],
  [{ kind: 'whisper', ...FILES, decoder: 'gone.onnx' }, 'decoder names the file "gone.onnx", which cannot be read'],
  [{ kind: 'whisper', ...FILES, joiner: 'j.onnx' }, 'joiner is unknown; whisper has kind, tokens, encoder, decoder, language, task'],
  [{ kind: 'zipformer', ...FILES }, 'joiner must be a non-empty string'],
  [{ kind: 'whisper', encoder: 'e.onnx', decoder: 'd.onnx' }, 'tokens must be a non-empty string'],
])('rejects the model.json %j and names the field', async (model, sentence) => {
  await write(model)
  await expect(readOwnModel(folder)).rejects.toThrow(`model.json of NATIVE_MODEL: ${sentence}`)
})

test('rejects a folder without a model.json', async () => {
  await expect(readOwnModel(folder)).rejects.toThrow('model.json of NATIVE_MODEL cannot be read')
})
