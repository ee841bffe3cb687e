// The service as an operator starts it: first output, invalid settings, Ctrl-C and restart.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderForFile } from '../helpers/for-file.ts'
import { createTestDatabase } from '../helpers/service/database.ts'
import { clientOf, NO_DRIVER } from '../helpers/service/service.ts'
import { BY_NPM, startServiceProcess } from '../helpers/service/service-process.ts'
import { descendantsOf } from '../helpers/service/worker-processes.ts'
import { until } from '../helpers/until.ts'

const directory = folderForFile('emissary-start-')

function emissary(args: string[], env: Record<string, string> = {}): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync('node', ['bin/emissary.mjs', ...args], {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  })
  return { status, out: stdout, err: stderr }
}

test('prints its key at the first start only, and keeps everything at the second', async () => {
  const first = await startServiceProcess({ DATA_DIR: directory })
  const key = /API key {2}(\S+)/.exec(first.said())?.[1] ?? ''
  expect(key).toMatch(/^em_/)
  const { body } = await clientOf(first.url, key)('POST', '/api/v1/bots/create_bot', {
    meeting_link: NO_DRIVER,
  })
  expect(await first.stop()).toBe(0)

  const second = await startServiceProcess({ DATA_DIR: directory })
  expect(second.said()).not.toContain('API key')
  expect((await clientOf(second.url, key)('GET', `/api/v1/bots/${body.bot_id}/status`)).status).toBe(200)
  const rival = emissary(['serve'], { DATA_DIR: directory, PORT: '0' })
  expect([rival.status, rival.err]).toEqual([1, expect.stringContaining('Another Emissary already uses the database')])
  expect(await second.stop()).toBe(0)

  const made = emissary(['key', '--name', 'spare'], { DATA_DIR: directory })
  expect([made.status, made.out.trim()]).toEqual([0, expect.stringMatching(/^em_/)])
})

test('ends with npm and ends its database, whichever signal npm gets', async () => {
  const settings = { DATA_DIR: join(directory, 'npm'), BOT_WORKERS: '1', WARM_WORKERS: '1' }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
    const { pid } = await startServiceProcess(settings, BY_NPM)
    const started = await until('the worker has opened its browser', () => browserUnder(pid), 30_000)
    expect(commandsOf(started)).toEqual(expect.arrayContaining([expect.stringContaining('postgres'), expect.stringContaining('chromium')]))
    process.kill(pid, signal)
    await until(`all processes are gone after ${signal}`, () => commandsOf(started).length === 0, 10_000)
  }
}, 180_000)

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
/** Processes that run. A zombie process has no command line. */
const commandsOf = (pids: readonly number[]): readonly string[] => pids.map(commandOf).filter((it) => it !== '')

function browserUnder(pid: number): readonly number[] | null {
  const pids = [pid, ...descendantsOf(pid)]
  return commandsOf(pids).some((it) => it.includes('--type=zygote')) ? pids : null
}

test('stops when its terminal has been closed', async () => {
  const database = await createTestDatabase()
  const service = await startServiceProcess({ DATA_DIR: join(directory, 'closed'), DATABASE_URL: database.url, LOG_LEVEL: 'info' })
  service.hangUp()
  await fetch(`${service.url}/healthz`)
  expect(await service.stop()).toBe(0)
  await database.drop()
}, 60_000)

test('names an invalid setting and does not start', () => {
  const wrong = emissary(['serve'], { DATA_DIR: directory, PORT: 'abc', CREDITS: 'maybe', ADMIN_TOKEN: 'short' })
  expect(wrong.status).toBe(1)
  expect(wrong.err).toContain('PORT must be a whole number from 0 to 65535; got "abc".')
  expect(wrong.err).toContain('CREDITS must be one of on, off; got "maybe".')
  expect(wrong.err).toContain('ADMIN_TOKEN must have at least 16 characters')
  expect(wrong.err).not.toContain('short')
})

test('prints --help and settings', () => {
  const help = emissary(['--help'])
  expect(help.status).toBe(0)
  for (const command of ['serve', 'migrate', 'key', 'settings']) expect(help.out).toContain(command)
  const settings = emissary(['settings'])
  for (const name of ['PORT', 'DATABASE_URL', 'ALLOW_INSECURE_URLS', 'RATE_LIMIT_PER_MINUTE']) expect(settings.out).toContain(name)
})

test('reports a port in use in one sentence', async () => {
  const service = await startServiceProcess({ DATA_DIR: join(directory, 'one') })
  const port = new URL(service.url).port
  const rival = emissary(['serve'], { DATA_DIR: join(directory, 'two'), PORT: port })
  expect([rival.status, rival.err]).toEqual([1, expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`)])
  await service.stop()
})

test('stops although a caller never finishes its request', async () => {
  const database = await createTestDatabase()
  const service = await startServiceProcess({ DATA_DIR: join(directory, 'three'), DATABASE_URL: database.url })
  const caller = connect(Number(new URL(service.url).port), '127.0.0.1')
  caller.write('POST /api/v1/bots/create_bot HTTP/1.1\r\n')
  await once(caller, 'ready')
  // The way in which it is cut off does not matter.
  const gone = new Promise((resolve) => caller.on('error', () => undefined).once('close', resolve))
  expect(await service.stop()).toBe(0)
  await gone
  await database.drop()
})
