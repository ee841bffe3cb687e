import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MeetingLink, parseMeetingLink } from '../../domain/meeting-link.ts'
import { zoomSignature } from '../accounts/zoom-app.ts'
import { checkZoom, zoomOrders } from './zoom-checks.ts'

const ZOOM = parseMeetingLink('https://zoom.us/j/81234567890?pwd=abc') as MeetingLink
const MEET = parseMeetingLink('https://meet.google.com/abc-defg-hij') as MeetingLink
const APP = { key: 'key', secret: 'secret' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emissary-zoom-doctor-'))
  await mkdir(join(folder, 'by-hand', 'dist'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

const settings = (change: object = {}) => ({ way: 'sdk' as const, app: APP, obstacle: null, sdkFolder: join(folder, 'none'), ...change })
const shortly = async (...args: Parameters<typeof checkZoom>) =>
  (await checkZoom(...args)).map(({ name, state, says }) => [name, state, says])

test('skips the Zoom checks without an app, unless the link is a Zoom link', async () => {
  expect(await checkZoom(settings({ app: null }), null)).toEqual([])
  expect(await checkZoom(settings({ app: null }), MEET)).toEqual([])
  expect(await checkZoom(settings({ app: null }), ZOOM)).toMatchObject([
    { name: 'zoom app', state: 'problem', cure: 'Set ZOOM_SDK_KEY and ZOOM_SDK_SECRET. See docs/zoom.md.' },
    { name: 'zoom sdk', state: 'problem', cure: 'Run `npx emissary zoom install` and restart the service.' },
  ])
})

test('reports that the app can sign, and a missing SDK as a problem', async () => {
  expect(await shortly(settings(), ZOOM)).toEqual([
    ['zoom app', 'ok', 'ZOOM_SDK_KEY can sign for the meeting 81234567890. Only a join shows whether Zoom accepts it'],
    ['zoom sdk', 'problem', `${join(folder, 'none')}: it is not installed`],
  ])
  const byHand = settings({ sdkFolder: join(folder, 'by-hand') })
  expect(await shortly(byHand, null)).toEqual([
    ['zoom app', 'ok', 'ZOOM_SDK_KEY and ZOOM_SDK_SECRET are set'],
    ['zoom sdk', 'note', `${join(folder, 'by-hand')}: it was not installed by emissary zoom install`],
  ])
})

test('requires neither app nor SDK if ZOOM_WAY is web', async () => {
  expect(await checkZoom(settings({ way: 'web', app: null }), ZOOM)).toMatchObject([{ name: 'zoom', state: 'ok' }])
  expect(zoomOrders(settings({ way: 'web' }), ZOOM, new Date())).toEqual({ signIn: null, sdkFolder: null })
})

test('gives the bot the same Zoom orders as the service does', () => {
  const at = new Date()
  const sdkFolder = join(folder, 'by-hand')
  const signature = zoomSignature(APP, '81234567890', at)
  expect(zoomOrders(settings({ sdkFolder }), ZOOM, at)).toEqual({
    signIn: { kind: 'zoom_app', sdkKey: 'key', signature, token: null },
    sdkFolder,
  })
  expect(zoomOrders(settings(), MEET, at)).toEqual({ signIn: null, sdkFolder: null })
})
