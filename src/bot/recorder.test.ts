import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { specFor } from '../../test/helpers/fleet.ts'
import { readManifest } from '../../test/helpers/manifest.ts'
import type { BotId } from '../domain/bot.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import { createHttpClient } from '../kit/http-client.ts'
import { openSpeech } from '../speech/registry.ts'
import { startCapture } from './capture/capture.ts'
import { createRecorder } from './recorder.ts'

async function openRecorder(link = 'https://meet.google.com/abc-defg-hij') {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'recorder-')), 'bot')
  const reports: FromHost[] = []
  const pictures: string[] = []
  let now = 1_000_000
  const capture = await startCapture({ folder, session: 1, video: false })
  const http = createHttpClient({ allowPrivate: true })
  const orders: BotOrders = {
    ...{ botId: 'bot_1' as BotId, fence: 1, spec: specFor(link), folder, allowPrivateUrls: true },
    ...{
      customAttributes: {},
      isGreeted: false,
      words: null,
      signIn: null,
      driver: 'google_meet',
      sdkFolder: null,
      tables: null,
      voice: null,
    },
  }
  const recorder = createRecorder({
    ...{ orders, capture, http, now: () => now, report: (it) => void reports.push(it), failed: async () => undefined },
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

test('records nothing and closes the recording when stopped while it is opened', async () => {
  const { folder, reports, pictures, recorder } = await openRecorder()
  const begun = recorder.begin()
  recorder.stop()
  await recorder.end('The host withdrew the permission to record')
  await begun
  expect([reports, pictures.includes('every minute')]).toEqual([[], false])
  expect(readManifest(folder).facts.at(-1)).toMatchObject({ fact: 'ended', atMs: 0, reason: 'The host withdrew the permission to record' })
})

test('takes no screenshots on a platform without them', async () => {
  const { pictures, recorder } = await openRecorder('https://zoom.us/j/81234567890')
  await recorder.begin()
  await recorder.end('The test is over')
  expect(pictures).toEqual(['stopped'])
})
