import { expect, test } from 'vitest'
import packageFile from '../../package.json' with { type: 'json' }
import { runtimeProblem } from './own-model-runtime.ts'

test('names the install command with the tested version if the package is missing', () => {
  const resolve = (name: string): string => {
    throw new Error(`Cannot find package '${name}'`)
  }
  const version = packageFile.devDependencies['sherpa-onnx-node']
  expect(runtimeProblem(resolve)).toMatch(new RegExp(`not installed\\. Run: npm install --no-save sherpa-onnx-node@${version}$`))
  expect(runtimeProblem(() => 'file:///somewhere')).toBeNull()
})
