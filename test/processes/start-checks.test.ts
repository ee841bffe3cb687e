// Checks at the start of the service: the key that seals secrets, and the printed keys.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../helpers/service/database.ts'
import { API_KEY, clientOf } from '../helpers/service/service.ts'
import { startServiceProcess } from '../helpers/service/service-process.ts'

const FIRST = 'the-first-secret-key-0123456789'
const SECOND = 'another-secret-key-0123456789'

let folder: string
let database: TestDatabase
let settings: Record<string, string>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emissary-checks-'))
  database = await createTestDatabase()
  settings = { DATA_DIR: folder, DATABASE_URL: database.url, BOOTSTRAP_API_KEY: API_KEY, BOT_WORKERS: '0' }
})
afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

function emissary(command: string, change: Record<string, string>): { status: number | null; said: string } {
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', WARM_WORKERS: '0', ...settings, ...change }
  const { status, stdout, stderr } = spawnSync('node', ['src/cli.ts', command], { env, encoding: 'utf8', timeout: 60_000 })
  return { status, said: stdout + stderr }
}

/** Runs the service once, with a webhook endpoint whose secret it seals. */
async function runOnce(secretKey: string): Promise<void> {
  const service = await startServiceProcess({ ...settings, SECRET_KEY: secretKey })
  const { status } = await clientOf(service.url, API_KEY)('POST', '/api/v1/webhook_endpoints', {
    url: 'https://example.com/hook',
    events: ['*'],
  })
  expect(status).toBe(201)
  expect(await service.stop()).toBe(0)
}

const forgetCheck = () => database.db.deleteFrom('secret_check').execute()

test('names a changed SECRET_KEY and does not start', async () => {
  await runOnce(FIRST)
  const refused = emissary('serve', { SECRET_KEY: SECOND })
  expect(refused.status).toBe(1)
  expect(refused.said).toContain('SECRET_KEY is not the key that sealed the secrets in this database. Set SECRET_KEY to its earlier value')
  expect(refused.said).not.toContain(SECOND)
  const service = await startServiceProcess({ ...settings, SECRET_KEY: FIRST })
  expect(await service.stop()).toBe(0)
}, 120_000)

test('names a VIDEO_ENCODER that does not work and does not start', async () => {
  const program = join(folder, 'ffmpeg')
  await writeFile(program, '#!/bin/sh\necho "[h264_nvenc @ 0xaaaaf7dffd10] Cannot load libcuda.so.1" >&2\nexit 1\n', { mode: 0o755 })
  const refused = emissary('serve', { VIDEO_ENCODER: 'nvenc', PATH: `${folder}:${process.env.PATH}` })
  expect(refused.status).toBe(1)
  expect(refused.said).toContain(
    'VIDEO_ENCODER is nvenc, which does not work here: ffmpeg: ended with 1: [h264_nvenc] Cannot load libcuda.so.1. Set it to auto or x264.',
  )
}, 120_000)

test('names a changed key file and does not start', async () => {
  await runOnce('')
  const file = join(folder, 'secret.key')
  const before = await readFile(file, 'utf8')
  await writeFile(file, 'some-other-key-0123456789\n')
  const refused = emissary('serve', {})
  expect([refused.status, refused.said]).toEqual([1, expect.stringContaining(`${file} is not the key that sealed the secrets`)])
  await writeFile(file, before)
  const service = await startServiceProcess({ ...settings, SECRET_KEY: '' })
  expect(await service.stop()).toBe(0)
}, 120_000)

test('starts with a changed key after accept-key', async () => {
  await runOnce(FIRST)
  const accepted = emissary('accept-key', { SECRET_KEY: SECOND })
  expect([accepted.status, accepted.said]).toEqual([0, expect.stringContaining('The current key is accepted.')])
  const service = await startServiceProcess({ ...settings, SECRET_KEY: SECOND })
  expect(await service.stop()).toBe(0)
  expect(emissary('serve', { SECRET_KEY: FIRST }).status).toBe(1)
}, 120_000)

test('adds the check value to a database of an earlier version only with a key that opens its secrets', async () => {
  await runOnce(FIRST)
  await forgetCheck()
  expect(emissary('serve', { SECRET_KEY: SECOND })).toMatchObject({
    status: 1,
    said: expect.stringContaining('SECRET_KEY is not the key that sealed the secrets in this database.'),
  })
  const service = await startServiceProcess({ ...settings, SECRET_KEY: FIRST })
  expect(await service.stop()).toBe(0)
  expect(await database.db.selectFrom('secret_check').selectAll().execute()).toHaveLength(1)
}, 120_000)

test('does not print a key from BOOTSTRAP_API_KEY', async () => {
  const service = await startServiceProcess(settings)
  expect(service.said()).toContain('API key  the value of BOOTSTRAP_API_KEY')
  expect(service.said()).not.toContain(API_KEY)
  expect(await service.stop()).toBe(0)
}, 60_000)

test('names the install command when Zoom credentials are set without the SDK', async () => {
  const service = await startServiceProcess({ ...settings, BOT_WORKERS: '1', ZOOM_SDK_KEY: 'key', ZOOM_SDK_SECRET: 'a-zoom-secret' })
  expect(service.said()).toContain('Bots cannot join Zoom meetings: Zoom’s Meeting SDK is not installed.')
  expect(service.said()).toContain('`emissary zoom install`')
  expect(service.said()).not.toContain('a-zoom-secret')
  expect(await service.stop()).toBe(0)
}, 60_000)

test.each([
  ['is not JSON', '{ "controls": ', 'PAGE_RULES: google-meet.json is not valid JSON: '],
  ['has an invalid rule', '{ "never": "Present" }', 'PAGE_RULES: google-meet.json: never must be array.'],
])(
  'names a file of page rules that %s and does not start',
  async (_case, text, sentence) => {
    await writeFile(join(folder, 'google-meet.json'), text)
    const refused = emissary('serve', { PAGE_RULES: folder })
    expect([refused.status, refused.said]).toEqual([1, expect.stringContaining(sentence)])
    expect(refused.said).not.toMatch(/\n\s+at /)
  },
  120_000,
)

test('does not start with page rules of a platform that has none, or a missing folder', async () => {
  await writeFile(join(folder, 'whatsapp.json'), '{}')
  expect(emissary('serve', { PAGE_RULES: folder }).said).toContain('whatsapp.json: this platform has no page rules to replace.')
  expect(emissary('serve', { PAGE_RULES: join(folder, 'none') }).said).toContain('cannot read the folder')
}, 120_000)
