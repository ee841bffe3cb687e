// The bot's devices as the page finds them, in a page of its own that does nothing else.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser } from '../../../sims/people.ts'
import { createOutgoingMedia, type OutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { still, tone } from '../../helpers/outgoing-made.ts'
import { until } from '../../helpers/until.ts'

const WAIT_MS = 20_000
/** As strict as a page can be about what may run in it. */
const POLICY = "default-src 'none'; require-trusted-types-for 'script'; trusted-types none"

let browser: Browser
let server: Server
let media: OutgoingMedia
let page: Page
beforeAll(async () => {
  browser = await launchBrowser()
  const headers = { 'content-type': 'text/html', 'content-security-policy': POLICY }
  server = createServer((_, answer) => answer.writeHead(200, headers).end('<!doctype html><title>quiet</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await browser?.close()
  server?.close()
})
beforeEach(async () => {
  media = createOutgoingMedia()
  const context = await browser.newContext()
  await context.addInitScript({ content: WATCH })
  await context.addInitScript({ content: media.initScript })
  page = await context.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return () => context.close()
})

/** Counts what could wake the page: timers that wait, and sound machines that run. */
const WATCH = `
  window.awake = { timers: new Set(), contexts: [] }
  const { setTimeout: start, clearTimeout: stop, AudioContext: Machine } = window
  window.setTimeout = (work, ms) => {
    const timer = start(() => { awake.timers.delete(timer); work() }, ms)
    awake.timers.add(timer)
    return timer
  }
  window.clearTimeout = (timer) => { awake.timers.delete(timer); stop(timer) }
  window.setInterval = () => { throw new Error('a timer without an end') }
  window.AudioContext = class extends Machine { constructor(...args) { super(...args); awake.contexts.push(this) } }
`
const isAsleep = () => page.evaluate("awake.timers.size === 0 && awake.contexts.every(({ state }) => state === 'suspended')")
const ask = (where: Page | Frame, constraints: object) =>
  where.evaluate<{ readonly kinds: string[]; readonly live: boolean }>(
    `navigator.mediaDevices.getUserMedia(${JSON.stringify(constraints)}).then((stream) => {
      const tracks = (window.kept ??= []).concat(stream.getTracks())
      window.kept = tracks
      return { kinds: stream.getTracks().map(({ kind }) => kind).sort(), live: stream.getTracks().every(({ readyState }) => readyState === 'live') }
    })`,
  )

test('there are one microphone and one camera, given as they are asked for', async () => {
  const listed = await page.evaluate<{ kind: string; isInput: boolean }[]>(
    'navigator.mediaDevices.enumerateDevices().then((all) => all.map((it) => ({ kind: it.kind, isInput: it instanceof InputDeviceInfo })))',
  )
  expect(listed).toEqual([
    { kind: 'audioinput', isInput: true },
    { kind: 'videoinput', isInput: true },
  ])
  expect(await ask(page, { audio: true, video: { width: 640 } })).toEqual({ kinds: ['audio', 'video'], live: true })
  expect(await ask(page, { audio: { echoCancellation: true } })).toEqual({ kinds: ['audio'], live: true })
  expect(await ask(page, { video: true })).toEqual({ kinds: ['video'], live: true })
  await expect(ask(page, { audio: false })).rejects.toThrow('TypeError')
})

test('a page that stops its tracks gets live ones the next time', async () => {
  await ask(page, { audio: true, video: true })
  await page.evaluate('kept.forEach((track) => track.stop())')
  expect(await ask(page, { audio: true, video: true })).toEqual({ kinds: ['audio', 'video'], live: true })
})

test('the page finds nothing of it by looking through its window', async () => {
  const found = await page.evaluate<string[]>('(() => { const all = []; for (const name in window) all.push(name); return all })()')
  expect(found.filter((name) => media.initScript.includes(JSON.stringify(name)))).toEqual([])
})

test('a frame has devices of its own, which are reached in it', async () => {
  await page.evaluate("document.body.append(document.createElement('iframe'))")
  const [, frame] = page.frames()
  if (!frame) return expect.unreachable('there is no frame')
  expect(await ask(frame, { audio: true, video: true })).toEqual({ kinds: ['audio', 'video'], live: true })
  const run = (expression: string) => frame.evaluate(expression)
  await media.show(run, still('png', '#c81e3c'))
  expect(await media.play(run, tone('wav', 440, 0.2)).begun).toBe(true)
  expect(await media.sounding((expression) => page.evaluate(expression))).toBe(false)
})

test('the camera shows what was asked for last, however long the one before takes', async () => {
  const run = (expression: string) => page.evaluate(expression)
  const large = still('png', '#1e3cc8', '6000x6000')
  await Promise.all([media.show(run, large), media.show(run, still('png', '#1ec83c'))])
  expect(await nextColour()).toBe('green')
  // Both are in the page at once, and the larger one is still being decoded when the smaller one is shown.
  const late = Promise.withResolvers<void>()
  const held = async (expression: string) => {
    const answer = page.evaluate(expression)
    if (expression.includes('.show(')) late.resolve()
    return answer
  }
  const first = media.show(held, large)
  await late.promise
  await Promise.all([first, media.show(run, still('png', '#1ec83c'))])
  expect(await nextColour()).toBe('green')
})

/** Of a frame that was painted after the question. */
function nextColour(): Promise<string> {
  return page.evaluate(`(async () => {
    const [track] = (await navigator.mediaDevices.getUserMedia({ video: true })).getVideoTracks()
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader()
    const pen = new OffscreenCanvas(1, 1).getContext('2d')
    for (let frame = 0; frame < 3; frame++) {
      const { value } = await reader.read()
      pen.drawImage(value, 0, 0, 1, 1)
      value.close()
    }
    track.stop()
    const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data
    return green > 150 ? 'green' : blue > 150 ? 'blue' : [red, green, blue].join()
  })()`)
}

test('nothing runs in it before, between and after', async () => {
  const run = (expression: string) => page.evaluate(expression)
  expect(await isAsleep()).toBe(true)
  await ask(page, { audio: true, video: true })
  await media.show(run, still('png', '#c81e3c'))
  await media.play(run, tone('wav', 440, 0.3)).over
  expect(await isAsleep()).toBe(false)
  await media.show(run, null)
  await page.evaluate('kept.forEach((track) => track.stop())')
  await until('the page sleeps', isAsleep, WAIT_MS)
  expect(await media.play(run, tone('wav', 440, 0.3)).begun).toBe(true)
  await until('the page sleeps again', isAsleep, WAIT_MS)
})
