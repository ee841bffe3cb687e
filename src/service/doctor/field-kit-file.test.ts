import { stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderForFile } from '../../../test/helpers/for-file.ts'
import type { FieldKit } from '../../domain/field-kit.ts'
import { headerOf, readFieldKit, writeFieldKit } from './field-kit-file.ts'

const folder = folderForFile('emissary-field-kit-')
const KIT = {
  header: headerOf({ driver: 'google_meet', settings: {}, checks: [] }),
  steps: [
    { at: 1, kind: 'screen', screen: 'prejoin' },
    { at: 2, kind: 'screen', screen: 'inside' },
  ],
} as unknown as FieldKit

test('reads the steps that it wrote', async () => {
  const file = join(folder, 'whole.gz')
  await writeFieldKit(file, KIT)
  expect(await readFieldKit(file)).toEqual(KIT)
})

test('writes a file that only its owner can read', async () => {
  const file = join(folder, 'private.gz')
  await writeFieldKit(file, KIT)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('says that a file is not there, is no gzip or is cut off', async () => {
  await expect(readFieldKit(join(folder, 'missing.gz'))).rejects.toThrow('cannot be read')
  const text = join(folder, 'text.gz')
  await writeFile(text, 'no gzip')
  await expect(readFieldKit(text)).rejects.toThrow('cannot be unpacked by gzip')
  const cut = join(folder, 'cut.gz')
  await writeFieldKit(cut, KIT)
  await truncate(cut, 40)
  await expect(readFieldKit(cut)).rejects.toThrow('cannot be unpacked by gzip')
})
