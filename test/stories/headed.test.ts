// Headed browsers: which bots get one, and what happens to the display when its worker ends.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { Browsers, type BrowsersOptions } from '../../src/bot/drivers/browsers.ts'
import { displayPrograms } from '../../src/bot/drivers/display.ts'
import { forkWorker, launchOf } from '../../src/service/fleet/workers/worker-process.ts'
import { processesUnderWorkers } from '../helpers/service/worker-processes.ts'
import { until } from '../helpers/until.ts'

const LONG = 120_000

function browsersWith(options: Pick<BrowsersOptions<string>, 'mode' | 'programs'>) {
  const logged: string[] = []
  const browsers = new Browsers<string>({
    executable: undefined,
    flags: [],
    onDied: () => undefined,
    ...options,
    log: (_level, message, detail) => logged.push(`${message}: ${detail}`),
  })
  onTestFinished(() => browsers.close())
  return { browsers, logged }
}

test('picks by auto the browser that each platform prefers, and closes the unused one', { timeout: LONG }, async () => {
  const { browsers } = browsersWith({ mode: 'auto' })
  await browsers.warm()
  const headed = await browsers.take('headed', 'a bot in Google Meet')
  expect(headed.display).not.toBeNull()
  const headless = await browsers.take('headless', 'a bot in the room')
  expect(headless.display).toBeNull()
  expect(headed.browser.isConnected()).toBe(true)
  browsers.leave('a bot in Google Meet')
  await browsers.take('headless', 'another one')
  await until('the headed browser is closed', () => !headed.browser.isConnected(), 10_000)
  await until('its display is closed', () => headed.display?.isOpen === false, 10_000)
  expect(headless.browser.isConnected()).toBe(true)
})

test('replaces the browser of one user, and closes the old one when its last user leaves', { timeout: LONG }, async () => {
  const { browsers } = browsersWith({ mode: 'headless' })
  const old = await browsers.take('headless', 'ada')
  expect(await browsers.take('headless', 'ben')).toBe(old)
  const fresh = await browsers.replace('headless', 'ada')
  expect(fresh.browser).not.toBe(old.browser)
  expect(old.browser.isConnected(), 'ben is in it').toBe(true)
  expect(await browsers.take('headless', 'cy'), 'a later user').toBe(fresh)
  expect(await browsers.replace('headless', 'ben'), 'it is fresh for ben, too').toBe(fresh)
  await until('the old browser is closed', () => !old.browser.isConnected(), 10_000)
  for (const user of ['ada', 'ben', 'cy']) browsers.leave(user)
  expect(fresh.browser.isConnected(), 'it waits for the next user').toBe(true)
})

test('applies headed and headless to every platform', { timeout: LONG }, async () => {
  const { browsers: headed } = browsersWith({ mode: 'headed' })
  expect((await headed.take('headless', 'a bot')).display).not.toBeNull()
  const { browsers: headless } = browsersWith({ mode: 'headless' })
  expect((await headless.take('headed', 'a bot')).display).toBeNull()
})

test('falls back from auto to headless when Xvfb is missing or does not start', { timeout: LONG }, async () => {
  const { browsers, logged } = browsersWith({ mode: 'auto', programs: { xvfb: undefined, xdotool: undefined } })
  expect((await browsers.take('headed', 'a bot')).display).toBeNull()
  const { browsers: others, logged: warned } = browsersWith({ mode: 'auto', programs: { xvfb: '/bin/false', xdotool: undefined } })
  const first = await others.take('headed', 'a bot')
  expect(first.display).toBeNull()
  expect(first.browser.isConnected()).toBe(true)
  expect(logged.filter((line) => line.includes('display'))).toEqual([])
  expect(warned).toContain('The browser of a worker is headless, because its display does not open: Xvfb does not start')
})

test('fails in headed mode with an explanation when Xvfb is missing', async () => {
  const { browsers } = browsersWith({ mode: 'headed', programs: { xvfb: undefined, xdotool: undefined } })
  await expect(browsers.take('headed', 'a bot')).rejects.toThrow('Xvfb is not installed. Install the package xvfb')
})

test('leaves no display behind when a worker is killed', { timeout: LONG }, async () => {
  const worker = forkWorker(launchOf('worker', { browserMode: 'headed', chromium: undefined, chromiumFlags: [] }))
  onTestFinished(() => void worker.kill('SIGKILL'))
  await until('it has a browser', () => processesUnderWorkers('--type=gpu-process').length > 0, 60_000)
  const [display = 0] = processesUnderWorkers('-displayfd')
  expect(isRunning(display)).toBe(true)
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
  await until('the display has ended', () => !isRunning(display), 20_000)
})

test('denies other users access to the display', { timeout: LONG }, async () => {
  const { browsers } = browsersWith({ mode: 'headed' })
  const { display } = await browsers.take('headed', 'a bot')
  const { xdotool = '' } = displayPrograms()
  const locate = (env: Record<string, string>) => execFileSync(xdotool, ['getmouselocation'], { env, encoding: 'utf8', stdio: 'pipe' })
  expect(locate({ ...display?.environment })).toContain('x:')
  expect(() => locate({ ...display?.environment, XAUTHORITY: '/dev/null' })).toThrow('Authorization required')
})

function isRunning(pid: number): boolean {
  try {
    // The file is empty for a zombie process.
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
