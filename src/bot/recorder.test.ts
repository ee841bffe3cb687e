// Nothing of a meeting is taken before the recording begins, and nothing after it was stopped.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { specFor } from '../../test/helpers/fleet.ts'
import { readManifest } from '../../test/helpers/manifest.ts'
import type { BotId } from '../domain/bot.ts'
import type { BotOrders, FromHost } from '../domain/protocol.ts'
import { createOutgoing } from '../kit/outgoing.ts'
import { openSpeech } from '../speech/registry.ts'
import { startCapture } from './capture/capture.ts'
import { createRecorder } from './recorder.ts'

async function bench(link = 'https://meet.google.com/abc-defg-hij') {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'recorder-')), 'bot')
  const reports: FromHost[] = []
  const pictures: string[] = []
  let now = 1_000_000
  const capture = await startCapture({ folder, session: 1, video: false })
  const outgoing = createOutgoing({ allowPrivate: true })
  const orders: BotOrders = {
    ...{ botId: 'bot_1' as BotId, fence: 1, spec: specFor(link), folder, allowPrivateUrls: true },
    ...{ customAttributes: {}, isGreeted: false, words: null, signIn: null, sdkFolder: null, tables: null, voice: null },
  }
  const recorder = createRecorder({
    ...{ orders, capture, outgoing, now: () => now, report: (it) => void reports.push(it), failed: async () => undefined },
    driver: { captions: async () => undefined },
    speechWith: openSpeech,
    screenshots: { everyMinute: () => void pictures.push('every minute'), stop: () => void pictures.push('stopped') },
  })
  onTestFinished(async () => {
    await outgoing.close()
    rmSync(path.dirname(folder), { recursive: true, force: true })
  })
  const speak = (seconds: number) => {
    recorder.see({ kind: 'voice', speakers: ['ada'], at: now })
    now += seconds * 1000
    recorder.see({ kind: 'voice', speakers: [], at: now })
  }
  return { folder, reports, pictures, recorder, speak }
}

test('before it begins there is no recording, no time of speech, no picture, and commands are refused', async () => {
  const { folder, reports, pictures, recorder, speak } = await bench()
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

test('stopped while the recording is being opened, it takes nothing, and what was opened is closed', async () => {
  const { folder, reports, pictures, recorder } = await bench()
  const begun = recorder.begin()
  recorder.stop()
  await recorder.end('The host withdrew the permission to record')
  await begun
  expect([reports, pictures.includes('every minute')]).toEqual([[], false])
  expect(readManifest(folder).facts.at(-1)).toMatchObject({ fact: 'ended', atMs: 0, reason: 'The host withdrew the permission to record' })
})

test('takes no pictures on a platform that has no screenshots', async () => {
  const { pictures, recorder } = await bench('https://zoom.us/j/81234567890')
  await recorder.begin()
  await recorder.end('The test is over')
  expect(pictures).toEqual(['stopped'])
})
