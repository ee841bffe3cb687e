// emissary doctor on a machine that lacks programs, and with a link to the built-in room.
import { existsSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runDoctor, stateOf } from '../helpers/service/doctor.ts'
import { startTestService } from '../helpers/service/service.ts'

const LONG = 120_000

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-doctor-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('reports each problem with its remedy and exits with code 1', { timeout: LONG }, async () => {
  const folder = await newFolder()
  const found = await runDoctor(
    {
      DATA_DIR: join(folder, 'data'),
      CHROMIUM_PATH: '/bin/false',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none',
      MODELS_DIR: join(folder, 'models'),
      MIN_FREE_DISK_MB: '10000000',
    },
    '--json',
  )
  expect(found.status, found.said).toBe(1)
  for (const name of ['browser', 'database', 'disk', 'speech']) expect(stateOf(found, name), name).toBe('problem')
  expect(stateOf(found, 'ffmpeg')).toBe('ok')
  const cures = found.json.checks.filter(({ state }: { state: string }) => state === 'problem')
  expect(cures.every(({ cure }: { cure: string }) => cure.length > 10)).toBe(true)
  expect(existsSync(join(folder, 'data')), 'it leaves no trace in DATA_DIR').toBe(false)
})

test('names an unusable setting and an unusable link', { timeout: LONG }, async () => {
  const wrong = await runDoctor({ BROWSER_MODE: 'sometimes' })
  expect(wrong).toMatchObject({ status: 1, said: expect.stringContaining('BROWSER_MODE must be one of auto, headed, headless') })
  const link = await runDoctor({}, 'https://example.com/meeting')
  expect(link).toMatchObject({ status: 1, said: expect.stringContaining('example.com is not a supported meeting platform') })
})

test('opens the page of a room without entering it', { timeout: LONG }, async () => {
  const service = await startTestService()
  onTestFinished(() => service.stop())
  const settings = { DATA_DIR: await newFolder(), PUBLIC_URL: service.url, DATABASE_URL: service.databaseUrl }
  const found = await runDoctor(settings, `${service.url}/room/standup`, '--json')
  expect(found.json?.door, found.said).toMatchObject({ screen: 'prejoin', next: 'press the button that asks to join', knock: null })
  onTestFinished(() => rmSync(found.json.door.folder, { recursive: true }))
  expect(stateOf(found, 'database')).toBe('ok')
})
