import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readManifest } from '../../../test/helpers/media/manifest.ts'
import { ordersFor, specFor } from '../../../test/helpers/service/fleet.ts'
import type { FromWorker } from '../../domain/protocol.ts'
import { createHttpClient } from '../../kit/http-client.ts'
import { openSpeech } from '../../speech/registry.ts'
import { startCapture } from '../capture/capture.ts'
import { createRecorder } from './recorder.ts'

async function openRecorder(link = 'https://meet.google.com/abc-defg-hij') {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'recorder-')), 'bot')
  const reports: FromWorker[] = []
  const pictures: string[] = []
  let now = 1_000_000
  const capture = await startCapture({ folder, session: 1, video: false })
  const http = createHttpClient({ allowPrivate: true })
  const orders = ordersFor({ spec: specFor(link), folder, allowPrivateUrls: true })
  const recorder = createRecorder({
    orders,
    capture,
    http,
    now: () => now,
    report: (it) => void reports.push(it),
    failed: async () => undefined,
    driver: { captions: async () => undefined },
    speechWith: openSpeech,
    screenshots: { everyMinute: () => void pictures.push('every minute'), stop: () => void pictures.push('stopped') },
  })
  onTestFinished(async () => {
    await http.close()
    rmSync(path.dirname(folder), { recursive: true, force: true })
  })
  const speak = (seconds: number) => {
    recorder.onEvent({ kind: 'voice', speakers: ['ada'], at: now })
    now += seconds * 1000
    recorder.onEvent({ kind: 'voice', speakers: [], at: now })
  }
  return { folder, reports, pictures, recorder, speak }
}

test('records no media, no speaking time and no screenshot before begin, and rejects commands', async () => {
  const { folder, reports, pictures, recorder, speak } = await openRecorder()
  speak(2)
  await expect(recorder.whenBegun()).rejects.toMatchObject({ code: 'not_recording' })
  expect([recorder.spokenMs(), reports, pictures, existsSync(folder)]).toEqual([{}, [], [], false])
  await recorder.begin()
  await recorder.whenBegun()
  speak(2)
  expect(recorder.spokenMs()).toEqual({ ada: 2_000 })
  expect(reports).toMatchObject([{ kind: 'recording' }])
  expect(pictures).toEqual(['every minute'])
  await recorder.end('The test is over')
})

test('does not count the time of a dominant speaker twice', async () => {
  const { recorder, speak } = await openRecorder()
  await recorder.begin()
  speak(2)
  recorder.onEvent({ kind: 'spoken', from: 'ada', spoken: { fromMs: 1_000_000, toMs: 1_002_000 } })
  expect(recorder.spokenMs()).toEqual({ ada: 2_000 })
  await recorder.end('The test is over')
})

test('records nothing and closes the recording when stopped while it is opened', async () => {
  const { folder, reports, pictures, recorder } = await openRecorder()
  const begun = recorder.begin()
  recorder.stop()
  await recorder.end('The host withdrew the permission to record')
  await begun
  expect([reports, pictures.includes('every minute')]).toEqual([[], false])
  expect(readManifest(folder).facts.at(-1)).toMatchObject({ fact: 'ended', atMs: 0, reason: 'The host withdrew the permission to record' })
})

test('reports each pause and resumption, for the session that continues this one', async () => {
  const { reports, recorder } = await openRecorder()
  await recorder.begin()
  recorder.pause()
  recorder.resume()
  const ofBot = { kind: 'paused', botId: 'bot_1', fence: 1, at: 1_000_000 }
  expect(reports.slice(1)).toEqual([
    { ...ofBot, isPaused: true },
    { ...ofBot, isPaused: false },
  ])
  await recorder.end('The test is over')
})

test('takes no screenshots on a platform without them', async () => {
  const { pictures, recorder } = await openRecorder('https://zoom.us/j/81234567890')
  await recorder.begin()
  await recorder.end('The test is over')
  expect(pictures).toEqual(['stopped'])
})

test('dates a breakout room by its event, in session time', async () => {
  const { folder, recorder, speak } = await openRecorder()
  await recorder.begin()
  speak(60)
  recorder.onEvent({ kind: 'room', name: 'Red', at: 1_065_000 })
  await recorder.end('The test is over')
  const [move] = readManifest(folder).facts.filter((it) => it.fact === 'room')
  expect(move?.atMs, 'five seconds from now').toBeGreaterThanOrEqual(5_000)
})
