// Deletion of stored data on request and by retention, also after a failure midway.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { createLog } from '../../src/kit/log.ts'
import { insertScreenshot } from '../../src/service/db/fleet/screenshots.ts'
import { keepArtefact } from '../../src/service/db/media/recordings.ts'
import { type RetentionDeps, startRetention } from '../../src/service/fleet/bot/delete.ts'
import { openLocalDisk } from '../../src/storage/local-disk.ts'
import { openS3 } from '../../src/storage/s3.ts'
import { bundlePrefix, mediaKey, type ObjectStore, recordingKey, screenshotKey } from '../../src/storage/store.ts'
import { botInMeeting, moment } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { startTestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

/** A port without a listener. */
const DEAD = { endpoint: 'http://127.0.0.1:9', bucket: 'b', region: 'r', credentials: { accessKeyId: 'a', secretAccessKey: 's' } }

const service = serviceForFile({ BOT_WORKERS: '0' })
let deps: RetentionDeps
beforeAll(async () => {
  const store = await openLocalDisk(join(service.directory, 'objects'))
  const log = createLog({ level: 'silent', pretty: false })
  const tariff = { enforced: false, pricePerHour: 1, currency: 'USD' }
  deps = { db: service.db, store, recordings: [workFolder()], tariff, log, onNews: () => undefined, now: () => new Date() }
})

/** Not the folder of recordings: the service would upload its files meanwhile. */
const workFolder = (...names: string[]) => join(service.directory, 'work', ...names)

const get = (botId: BotId, path: string) => service.api('GET', `/api/v1/bots/${botId}/${path}`)
const rowOf = (botId: BotId) => service.db.selectFrom('bots').selectAll().where('id', '=', botId).executeTakeFirstOrThrow()
const eventsOf = async (botId: BotId) => {
  const rows = await service.db.selectFrom('events').select('body').where('bot_id', '=', botId).orderBy('seq').execute()
  return rows.map(({ body }) => JSON.parse(body)).filter(({ event }) => event === 'data_deletion')
}

/** A finished bot with an audio file, two screenshots, a folder on disk, and a recording of two sessions that was given up. */
async function doneBot(): Promise<BotId> {
  const botId = await botInMeeting(service, 'Stopped')
  const at = moment(60)
  const audio = mediaKey(botId, 'mixed.m4a')
  await deps.store.put(audio, Buffer.from('sound'), { contentType: 'audio/mp4' })
  await keepArtefact(service.db, botId, { kind: 'audio', position: 0, key: audio, facts: { durationMs: 1_000 } }, at)
  for (const second of [1, 2]) {
    const key = screenshotKey(botId, moment(second))
    await deps.store.put(key, Buffer.from('picture'), { contentType: 'image/jpeg' })
    await insertScreenshot(service.db, { botId, fence: 0 }, { at: moment(second), key })
  }
  await deps.store.put(`${bundlePrefix(botId)}2-1.bundle`, Buffer.from('recording'), { contentType: 'application/octet-stream' })
  await deps.store.put(recordingKey(botId, 'manifest-1.jsonl'), Buffer.from(''), { contentType: 'application/jsonl' })
  await mkdir(workFolder(botId), { recursive: true })
  await writeFile(workFolder(botId, 'manifest.jsonl'), '')
  await service.db.updateTable('bots').set({ status: 'Done' }).where('id', '=', botId).execute()
  return botId
}

async function unreadable(botId: BotId): Promise<void> {
  for (const path of ['get_audio', 'get_screenshots', 'get_participants', 'get_chats', 'get_speaker_timeline', 'get_audio_streams']) {
    expect(await get(botId, path), path).toMatchObject({ status: 404, body: { message: 'Bot not found' } })
  }
}

async function retain(change: Partial<RetentionDeps>, until: () => Promise<unknown>): Promise<void> {
  const retention = startRetention({ ...deps, ...change })
  await until()
  await retention.stop()
}

test('deletes objects, rows, folders and links on request', async () => {
  const botId = await doneBot()
  const links = [(await get(botId, 'get_audio')).body.audio_url, (await get(botId, 'get_screenshots')).body.screenshots[0].url]
  expect(await service.api('DELETE', `/api/v1/bots/${botId}/delete`)).toMatchObject({ status: 200, body: { deleted_objects: 5 } })
  await unreadable(botId)
  for (const link of links) expect((await fetch(link)).status).toBe(404)
  expect(await deps.store.list(`bots/${botId}/`)).toEqual([])
  expect(await deps.store.list(bundlePrefix(botId))).toEqual([])
  expect(existsSync(workFolder(botId))).toBe(false)
  expect((await get(botId, 'status')).body.status).toBe('MediaExpired')
  const event = {
    bot_event: 'data_deletion',
    bot_id: botId,
    status: 'success',
    deleted_objects: 5,
    status_code: 200,
    custom_attributes: {},
  }
  expect(await eventsOf(botId)).toMatchObject([{ ...event, message: 'Stored media was deleted on request' }])
  expect((await service.api('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(404)
})

test('deletes a cancelled bot on request', async () => {
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const made = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij', join_at })
  const botId = made.body.bot_id as BotId
  await get(botId, 'remove_bot')
  expect((await get(botId, 'status')).body.status).toBe('Cancelled')
  expect(await service.api('DELETE', `/api/v1/bots/${botId}/delete`)).toMatchObject({ status: 200, body: { deleted_objects: 0 } })
  expect((await get(botId, 'status')).body.status).toBe('MediaExpired')
  expect(await eventsOf(botId)).toHaveLength(1)
})

test('answers 404 to commands for a deleted bot', async () => {
  const botId = await doneBot()
  await service.api('DELETE', `/api/v1/bots/${botId}/delete`)
  const bodies = { send_message: { message: 'hello' }, send_image: { img_url: 'https://example.com/a.png' }, speak: { text: 'hello' } }
  const all = { ...bodies, take_screenshot: {}, pause_recording: {}, resume_recording: {} }
  const notFound = { status: 404, body: { message: 'Bot not found' } }
  for (const [command, body] of Object.entries(all))
    expect(await service.api('POST', `/api/v1/bots/${botId}/${command}`, body), command).toMatchObject(notFound)
  expect(await get(botId, 'remove_bot')).toMatchObject(notFound)
  const moved = { scheduled_join_time: new Date(Date.now() + 3_600_000).toISOString() }
  expect(await service.api('PATCH', `/api/v1/calendar/scheduled_bots/${botId}`, moved)).toMatchObject(notFound)
  expect(await service.api('DELETE', `/api/v1/calendar/scheduled_bots/${botId}`)).toMatchObject(notFound)
})

test('deletes the data once when its retention ends', async () => {
  const [due, later] = [await doneBot(), await doneBot()]
  await service.db
    .updateTable('bots')
    .set({ delete_at: new Date(0) })
    .where('id', '=', due)
    .execute()
  await service.db
    .updateTable('bots')
    .set({ delete_at: new Date(Date.now() + 60_000) })
    .where('id', '=', later)
    .execute()
  // Two nodes run retention at the same time.
  const other = startRetention(deps)
  await retain({}, () => until('it is gone', async () => (await rowOf(due)).status === 'MediaExpired'))
  await other.stop()
  await unreadable(due)
  expect(await eventsOf(due)).toMatchObject([{ deleted_objects: 5, message: 'Stored media was deleted after 720 hours' }])
  expect((await rowOf(due)).delete_at).toBeNull()
  expect([(await rowOf(later)).status, (await get(later, 'get_audio')).status]).toEqual(['Done', 200])
})

test('starts the requested retention at the last end of the bot', async () => {
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: new Date(Date.now() + 3_600_000).toISOString(),
    recording_config: { retention: { type: 'timed', hours: 5 } },
  })
  expect((await rowOf(body.bot_id)).delete_at).toBeNull()
  await service.api('GET', `/api/v1/bots/${body.bot_id}/remove_bot`)
  const { ended_at, delete_at } = await rowOf(body.bot_id)
  expect(Number(delete_at) - Number(ended_at)).toBe(5 * 3_600_000)
})

test('makes data unreadable while the store is unreachable, and deletes it once the store is back', async () => {
  const botId = await doneBot()
  const away: ObjectStore = openS3({ ...DEAD, directReads: false, timeoutMs: 200 })
  await service.db
    .updateTable('bots')
    .set({ delete_at: new Date(0) })
    .where('id', '=', botId)
    .execute()
  await retain({ store: away }, () => until('it is erased', async () => (await rowOf(botId)).erased_at))
  expect(await rowOf(botId)).toMatchObject({ status: 'Done', delete_at: expect.any(Date) })
  expect(await deps.store.list(`bots/${botId}/`)).toHaveLength(4)
  await unreadable(botId)
  expect(await eventsOf(botId)).toEqual([])

  // Objects that arrive late are deleted too.
  const late = { kind: 'video', position: 0, key: mediaKey(botId, 'grid_view.mp4'), facts: {} } as const
  expect(await keepArtefact(service.db, botId, late, new Date())).toBe('deleted')
  expect(await insertScreenshot(service.db, { botId, fence: 0 }, { at: moment(3), key: screenshotKey(botId, moment(3)) })).toBe(false)

  await service.db
    .updateTable('bots')
    .set({ delete_at: new Date(0) })
    .where('id', '=', botId)
    .execute()
  await retain({}, () => until('it is gone', async () => (await rowOf(botId)).status === 'MediaExpired'))
  expect(await deps.store.list(`bots/${botId}/`)).toEqual([])
  expect(await eventsOf(botId)).toMatchObject([{ deleted_objects: 5 }])
})

test('answers 503 while the store is unreachable, and completes on a repeated request', async () => {
  const other = await startTestService({
    BOT_WORKERS: '0',
    S3_BUCKET: DEAD.bucket,
    S3_ENDPOINT: DEAD.endpoint,
    S3_TIMEOUT_SECONDS: '1',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 's',
    LOG_LEVEL: 'silent',
  })
  try {
    const botId = await botInMeeting(other)
    await other.db.updateTable('bots').set({ status: 'Done' }).where('id', '=', botId).execute()
    const answer = await other.api('DELETE', `/api/v1/bots/${botId}/delete`)
    expect(answer).toMatchObject({ status: 503, body: { message: expect.stringContaining('does not answer') } })
    expect(await other.api('GET', `/api/v1/bots/${botId}/get_participants`)).toMatchObject({ status: 404 })
    expect((await other.api('DELETE', `/api/v1/bots/${botId}/delete`)).status).toBe(503)
  } finally {
    await other.stop()
  }
})

test('answers a speaker timeline with ISO 8601 times, also if it was stored with milliseconds', async () => {
  const botId = await doneBot()
  const key = mediaKey(botId, 'speakers.json')
  const chunk = { chunkIndex: 0, sampleRate: 48_000, speakerId: null, speakerName: null, startByte: 0, endByte: 9_600, start: 0, end: 0.1 }
  const stored = { chunks: [{ ...chunk, timestamp: moment(1).getTime() }], lastUpdated: moment(2).getTime(), totalFileSize: 9_600 }
  await deps.store.put(key, Buffer.from(JSON.stringify(stored)), { contentType: 'application/json' })
  await keepArtefact(service.db, botId, { kind: 'speaker_timeline', position: 0, key, facts: {} }, moment(60))
  const { body } = await get(botId, 'get_speaker_timeline')
  const timestamp = moment(1).toISOString()
  const spoken = { ...chunk, timestamp, room: null }
  expect(body).toEqual({ chunks: [spoken], lastUpdated: moment(2).toISOString(), totalFileSize: 9_600, rooms: [] })
})

test('cancels a scheduled bot and deletes its data', async () => {
  const meeting_link = 'https://meet.google.com/abc-defg-hij'
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link, join_at })
  const botId: BotId = body.bot_id
  expect(await service.api('DELETE', `/api/v1/bots/${botId}/delete`)).toMatchObject({ status: 200, body: { bot_id: botId } })
  const { bot_details } = (await get(botId, 'detail')).body
  expect([bot_details.Status, bot_details.StatusTimeline.Cancelled?.status]).toEqual(['MediaExpired', true])
  expect((await rowOf(botId)).launch_at).toBeNull()
  const { scheduled_bots } = (await service.api('GET', '/api/v1/calendar/scheduled')).body
  expect(scheduled_bots.filter(({ bot_id }: { bot_id: string }) => bot_id === botId)).toEqual([])
  const events = await service.db.selectFrom('events').select('name').where('bot_id', '=', botId).orderBy('seq').execute()
  expect(events.map(({ name }) => name)).toEqual(['bot.scheduled', 'bot.cancelled', 'data_deletion'])
})
