// get_audio with a format: converted once, on the first request.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import type { ObjectStore } from '../../src/storage/store.ts'
import { probeFile } from '../helpers/media/media-inspection.ts'
import { madeFolders } from '../helpers/media/media-meeting.ts'
import { sound } from '../helpers/media/recorded-media.ts'
import { createEndedBot, LENGTH_MS, makeDue, TONES } from '../helpers/service/ended-bot.ts'
import { startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

let service: TestService
let store: ObjectStore
let folder: string
let botId: BotId
beforeAll(async () => {
  service = await startTestService({ BOT_WORKERS: '0' })
  store = await openLocalDisk(join(service.directory, 'objects'))
  folder = await mkdtemp(join(tmpdir(), 'emissary-formats-'))
  botId = await createEndedBot({ ...service, store })
  await makeDue(service.db, botId)
  const status = async () => (await service.api('GET', `/api/v1/bots/${botId}/status`)).body.status
  await until('it is done', async () => (await status()) === 'Done', 50_000)
})
afterAll(async () => {
  await service?.stop()
  for (const it of [folder, ...madeFolders()]) await rm(it, { recursive: true, force: true })
})

const ask = (query: string) => service.api('GET', `/api/v1/bots/${botId}/get_audio${query}`)

/** Polls while the answer is 202. */
async function ready(format: string) {
  let answer = await ask(`?format=${format}`)
  await until(`${format} is made`, async () => {
    if (answer.status === 202) answer = await ask(`?format=${format}`)
    return answer.status !== 202
  })
  return answer
}

test.each([
  ['mp3', 'audio/mpeg', 'mp3'],
  ['wav', 'audio/wav', 'pcm_s16le'],
  ['ogg', 'audio/ogg', 'opus'],
  ['m4a', 'audio/mp4', 'aac'],
])('converts the audio to %s once, for concurrent requests', async (format, contentType, codec) => {
  // Concurrent requests share one conversion.
  const answers = await Promise.all([1, 2, 3].map(() => ready(format)))
  for (const { status, body } of answers) {
    expect([status, body.format]).toEqual([200, format])
    expect(Math.abs(body.duration * 1000 - LENGTH_MS)).toBeLessThan(200)
  }
  const media = await fetch(answers[0]?.body.audio_url)
  expect([media.status, media.headers.get('content-type')]).toEqual([200, contentType])
  expect(media.headers.get('content-disposition')).toContain(`${botId}.${format}`)
  const file = join(folder, `audio.${format}`)
  await writeFile(file, Buffer.from(await media.arrayBuffer()))
  const { streams } = probeFile(file)
  expect([streams[0]?.codec_name, Number(streams[0]?.sample_rate)]).toEqual([codec, 48_000])
  const found = sound(file)
  for (const { toneHz, fromMs } of TONES) expect(Math.abs((found.firstMs(toneHz) ?? 0) - fromMs)).toBeLessThan(120)
})

test('rejects an unknown format by name, and still answers m4a by default', async () => {
  expect(await ask('?format=flac')).toMatchObject({ status: 400, body: { message: 'format must be one of m4a, mp3, wav, ogg.' } })
  expect((await ask('')).body.format).toBe('m4a')
})

test('deletes converted audio with the bot’s data', async () => {
  await ready('mp3')
  expect((await store.list(`bots/${botId}/media/`)).some((key) => key.endsWith('.mp3'))).toBe(true)
  expect((await service.api('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(200)
  expect(await store.list(`bots/${botId}/`)).toEqual([])
  expect((await ask('?format=mp3')).status).toBe(404)
})
