// The bot's devices in an empty page.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { launchBrowser } from '../../../sims/room/people.ts'
import { createOutgoingMedia, type OutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { stillImage, tone } from '../../helpers/media/outgoing-files.ts'
import { until } from '../../helpers/until.ts'

const WAIT_MS = 20_000
/** The strictest content security policy. */
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

/** Tracks everything that can wake the page: pending timers and running audio contexts. */
const WATCH = `
  window.awake = { timers: new Set(), contexts: [] }
  const { setTimeout: start, clearTimeout: stop, AudioContext: Machine } = window
  window.setTimeout = (work, ms) => {
    const timer = start(() => { awake.timers.delete(timer); work() }, ms)
    awake.timers.add(timer)
    return timer
  }
  window.clearTimeout = (timer) => { awake.timers.delete(timer); stop(timer) }
  window.setInterval = () => { throw new Error('setInterval is not allowed') }
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

test('offers a microphone, a camera and a speaker, and gives the requested tracks', async () => {
  const listed = await page.evaluate<{ kind: string; isInput: boolean }[]>(
    'navigator.mediaDevices.enumerateDevices().then((all) => all.map((it) => ({ kind: it.kind, isInput: it instanceof InputDeviceInfo })))',
  )
  expect(listed).toEqual([
    { kind: 'audioinput', isInput: true },
    { kind: 'videoinput', isInput: true },
    { kind: 'audiooutput', isInput: false },
  ])
  expect(await ask(page, { audio: true, video: { width: 640 } })).toEqual({ kinds: ['audio', 'video'], live: true })
  expect(await ask(page, { audio: { echoCancellation: true } })).toEqual({ kinds: ['audio'], live: true })
  expect(await ask(page, { video: true })).toEqual({ kinds: ['video'], live: true })
  await expect(ask(page, { audio: false })).rejects.toThrow('TypeError')
})

test('gives tracks that name a listed device, also when cloned, and a frame rate', async () => {
  const found = await page.evaluate<{ listed: object[]; tracks: { kind: string; frameRate: number; device: object }[] }>(`(async () => {
    const { mediaDevices } = navigator
    const listed = (await mediaDevices.enumerateDevices()).map(({ label, deviceId, groupId }) => ({ label, deviceId, groupId }))
    const stream = await mediaDevices.getUserMedia({ audio: true, video: true })
    const tracks = [stream, stream.clone()].flatMap((it) => it.getTracks()).flatMap((it) => [it, it.clone()])
    const facts = tracks.map((it) => {
      const { deviceId, groupId, frameRate } = it.getSettings()
      return { kind: it.kind, frameRate, device: { label: it.label, deviceId, groupId } }
    })
    for (const it of tracks) it.stop()
    return { listed, tracks: facts }
  })()`)
  expect(found.tracks).toHaveLength(8)
  for (const { kind, frameRate, device } of found.tracks) {
    expect(found.listed).toContainEqual(device)
    expect(frameRate === undefined).toBe(kind === 'audio')
  }
})

test('gives the device that the page insists on, and refuses one that does not exist', async () => {
  const insist = (deviceId: string) => ask(page, { video: { deviceId: { exact: deviceId } } })
  expect(await insist('camera')).toEqual({ kinds: ['video'], live: true })
  await expect(insist('microphone')).rejects.toThrow('OverconstrainedError')
  expect(await ask(page, { video: { deviceId: 'another' } }), 'a wish, not a condition').toEqual({ kinds: ['video'], live: true })
})

test('lets the page choose the listed speaker', async () => {
  const choose = `navigator.mediaDevices.enumerateDevices().then(async (all) => {
    const player = new Audio()
    await player.setSinkId(all.find(({ kind }) => kind === 'audiooutput').deviceId)
    return player.sinkId
  })`
  expect(await page.evaluate(choose)).toBe('default')
})

test('gives live tracks again after the page stops its tracks', async () => {
  await ask(page, { audio: true, video: true })
  await page.evaluate('kept.forEach((track) => track.stop())')
  expect(await ask(page, { audio: true, video: true })).toEqual({ kinds: ['audio', 'video'], live: true })
})

test('adds no property to window', async () => {
  const plain = await browser.newPage()
  await plain.addInitScript({ content: WATCH })
  await plain.goto(page.url())
  const namesIn = (it: Page) => it.evaluate<string[]>('Reflect.ownKeys(window).map(String)')
  const ordinary = new Set(await namesIn(plain))
  await plain.close()
  expect((await namesIn(page)).filter((name) => !ordinary.has(name))).toEqual([])
})

test('gives an iframe its own devices', async () => {
  await page.evaluate("document.body.append(document.createElement('iframe'))")
  const [, frame] = page.frames()
  if (!frame) return expect.unreachable('there is no frame')
  expect(await ask(frame, { audio: true, video: true })).toEqual({ kinds: ['audio', 'video'], live: true })
  const run = (expression: string) => frame.evaluate(expression)
  await media.show(run, stillImage('png', '#c81e3c'))
  expect(await media.play(run, tone('wav', 440, 0.2)).started).toBe(true)
  expect(await media.isPlaying((expression) => page.evaluate(expression))).toBe(false)
})

test('shows the last requested picture, even if an earlier one decodes later', async () => {
  const run = (expression: string) => page.evaluate(expression)
  const large = stillImage('png', '#1e3cc8', '6000x6000')
  await Promise.all([media.show(run, large), media.show(run, stillImage('png', '#1ec83c'))])
  expect(await nextColour()).toBe('green')
  // Both pictures are in the page, and the larger one is being decoded when the smaller one is shown.
  const late = Promise.withResolvers<void>()
  const held = async (expression: string) => {
    const answer = page.evaluate(expression)
    if (expression.includes('.show(')) late.resolve()
    return answer
  }
  const first = media.show(held, large)
  await late.promise
  await Promise.all([first, media.show(run, stillImage('png', '#1ec83c'))])
  expect(await nextColour()).toBe('green')
})

/** The colour of a frame that is painted after this call. */
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

test('runs no timer and no audio context before, between and after use', async () => {
  const run = (expression: string) => page.evaluate(expression)
  expect(await isAsleep()).toBe(true)
  await ask(page, { audio: true, video: true })
  await media.show(run, stillImage('png', '#c81e3c'))
  await media.play(run, tone('wav', 440, 0.3)).ended
  expect(await isAsleep()).toBe(false)
  await media.show(run, null)
  await page.evaluate('kept.forEach((track) => track.stop())')
  await until('the page sleeps', isAsleep, WAIT_MS)
  expect(await media.play(run, tone('wav', 440, 0.3)).started).toBe(true)
  await until('the page sleeps again', isAsleep, WAIT_MS)
})
