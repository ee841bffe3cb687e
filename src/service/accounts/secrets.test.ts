import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findSecretKey, keepSecretKey, secretKeyIn } from './secret-key.ts'
import { createVault } from './secrets.ts'

test('opens a sealed secret only for its owner, with its key, and unmodified', () => {
  const vault = createVault('a key of some length')
  const sealed = vault.seal('lgn_1', 'hush – 秘密')
  expect(sealed.toString('latin1')).not.toContain('hush')
  expect(vault.open('lgn_1', sealed)).toBe('hush – 秘密')
  expect(() => vault.open('lgn_2', sealed)).toThrow()
  expect(() => createVault('another key').open('lgn_1', sealed)).toThrow()
  const bent = Buffer.from(sealed)
  bent[bent.length - 1] = (bent.at(-1) ?? 0) ^ 1
  expect(() => vault.open('lgn_1', bent)).toThrow()
})

test('seals the same secret to different bytes each time', () => {
  const vault = createVault('a key of some length')
  expect(vault.seal('a', 'x').equals(vault.seal('a', 'x'))).toBe(false)
})

test('generates one key in concurrent first starts, readable by the service only', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-secret-'))
  const keys = await Promise.all(Array.from({ length: 8 }, () => secretKeyIn(directory)))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]?.length).toBeGreaterThanOrEqual(40)
  expect((await stat(join(directory, 'secret.key'))).mode & 0o777).toBe(0o600)
  expect(await readdir(directory)).toEqual(['secret.key'])
  await rm(directory, { recursive: true })
})

test('throws where a secret key is but cannot be read', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-secret-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  expect(await findSecretKey(directory)).toBe(null)
  await mkdir(join(directory, 'secret.key'))
  await expect(findSecretKey(directory)).rejects.toThrow('EISDIR')
})

test('keeps the secret key of a backup, and not instead of one that is there', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-secret-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await keepSecretKey(directory, 'first')
  await keepSecretKey(directory, 'second')
  expect([await findSecretKey(directory), await readdir(directory)]).toEqual(['first', ['secret.key']])
})
