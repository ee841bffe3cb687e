// Participant events and the participant list.
import { expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import type { Attribution } from '../../src/domain/meeting.ts'
import { closeRoster, writeRoster } from '../../src/service/db/fleet/meetings.ts'
import { keepArtefact } from '../../src/service/db/media/recordings.ts'
import { createLiveEvents } from '../../src/service/delivery/live-events.ts'
import { botInMeeting, moment } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile({ BOT_WORKERS: '0' })

const read = (botId: BotId, path: string) => service.api('GET', `/api/v1/bots/${botId}/${path}`)
const ADA = { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false }

test('answers participant events by a link that is generated on each read', async () => {
  const botId = await botInMeeting(service)
  const look = (second: number, others: (typeof ADA)[]) =>
    writeRoster(service.db, { botId, fence: 0 }, { others, spokenMs: {}, at: moment(second).getTime() })
  const { participant_events: url } = (await read(botId, 'detail')).body.bot_details
  const list = async () => (await fetch(url)).json()
  expect(await list()).toEqual([])
  await look(1.5, [ADA])
  await look(20, [{ ...ADA, microphoneOn: false }])
  await closeRoster(service.db, botId, moment(30))
  const shown = { id: 'ada', name: 'Ada', full_name: 'Ada', platform: 'GMeet', is_host: true, mic_on: true, camera_on: false }
  expect(await list()).toEqual([
    { action: 'join', participant: shown, timestamp: { relative: 1.5, absolute: moment(1.5).toISOString() } },
    { action: 'update', participant: { ...shown, mic_on: false }, timestamp: { relative: 20, absolute: moment(20).toISOString() } },
  ])
  const part = await fetch(url, { headers: { range: 'bytes=0-1' } })
  expect([part.status, part.headers.get('content-type'), await part.text()]).toEqual([206, 'application/json', '[{'])
  expect((await read(botId, 'summary')).body.bot_details.participant_events).toMatch(/\/participant-events\.json$/)
})

test('answers no participant events for a bot that was never admitted', async () => {
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at: new Date(Date.now() + 86_400_000).toISOString(),
  })
  expect((await read(body.bot_id, 'detail')).body.bot_details.participant_events).toBeNull()
})

test('gives no left_at to a participant who stayed until the bot left', async () => {
  const botId = await botInMeeting(service, 'Stopped')
  const look = (second: number, others: (typeof ADA)[]) =>
    writeRoster(service.db, { botId, fence: 0 }, { others, spokenMs: {}, at: moment(second).getTime() })
  await look(1, [ADA, { ...ADA, id: 'ben' }])
  await look(2, [ADA])
  await closeRoster(service.db, botId, moment(30))
  const { body } = await read(botId, 'get_participants')
  const gone = { status: 6, humanized_status: 'not_in_meeting' }
  expect(body).toMatchObject([
    { deviceId: 'ada', left_at: null, lastUpdated: moment(30).toISOString(), ...gone },
    { deviceId: 'ben', left_at: moment(2).toISOString(), ...gone },
  ])
})

test('marks a removed participant as removed_from_meeting', async () => {
  const botId = await botInMeeting(service)
  for (const [second, others] of [
    [1, [ADA, { ...ADA, id: 'ben' }]],
    [2, []],
  ] as const) {
    await writeRoster(service.db, { botId, fence: 0 }, { others, spokenMs: {}, at: moment(second).getTime(), removed: ['ben'] })
  }
  const { body } = await read(botId, 'get_participants')
  expect(body.map((it: { status: number; humanized_status: string }) => [it.status, it.humanized_status])).toEqual([
    [6, 'not_in_meeting'],
    [7, 'removed_from_meeting'],
  ])
})

test('says in detail by what each participant is named, and keeps the last answer', async () => {
  const botId = await botInMeeting(service)
  const look = (second: number, attributions: Record<string, Attribution>) => {
    const others = ['ada', 'ben', 'cy', 'dee', 'eve'].map((id) => ({ ...ADA, id, name: id }))
    return writeRoster(service.db, { botId, fence: 0 }, { others, attributions, spokenMs: {}, at: moment(second).getTime() })
  }
  const media = async () => (await read(botId, 'detail')).body.bot_details.Media
  expect(await media()).toEqual({ participants: [] })
  await look(1, { ada: 'record', ben: 'page', dee: 'platform', eve: 'captions' })
  await look(2, { ada: 'list' })
  await look(3, { ben: 'contradicted' })
  expect(await media()).toEqual({
    participants: [
      { id: 'ada', name: 'ada', attribution: 'csrc', named_by: 'list' },
      { id: 'ben', name: 'ben', attribution: 'unknown', named_by: 'contradicted' },
      { id: 'cy', name: 'cy', attribution: 'unknown', named_by: null },
      { id: 'dee', name: 'dee', attribution: 'platform', named_by: 'platform' },
      { id: 'eve', name: 'eve', attribution: 'captions', named_by: 'captions' },
    ],
  })
})

test('lists the stream ids of a participant once the streams can be read', async () => {
  const botId = await botInMeeting(service, 'Stopped')
  const ben = { ...ADA, id: 'ben', name: 'Ben' }
  await writeRoster(service.db, { botId, fence: 0 }, { others: [ADA, ben], spokenMs: {}, at: moment(1).getTime() })
  const people = async () => (await read(botId, 'get_participants')).body
  expect((await people()).map((it: { streamIds: unknown }) => it.streamIds)).toEqual([[], []])
  const facts = {
    participantId: 'ada',
    participantName: 'Ada',
    startMs: 0,
    durationMs: 1_000,
    codec: 'opus',
    sampleRate: 48_000,
    channels: 1,
  }
  for (const position of [0, 1])
    await keepArtefact(service.db, botId, { kind: 'audio_stream', position, key: `bots/${botId}/ada-${position}.webm`, facts }, moment(60))
  // More files may follow, until the timeline is stored.
  expect((await read(botId, 'get_audio_streams')).status).toBe(202)
  await keepArtefact(
    service.db,
    botId,
    { kind: 'speaker_timeline', position: 0, key: `bots/${botId}/timeline.json`, facts: {} },
    moment(61),
  )
  const { participants } = (await read(botId, 'get_audio_streams')).body
  const [stream] = participants[0].streams
  expect((await people()).map((it: { streamIds: unknown }) => it.streamIds)).toEqual([[stream.stream_id], []])
})

test('excludes the bot’s own chat messages, which get_chats marks', async () => {
  const botId = await botInMeeting(service)
  const live = createLiveEvents({ db: service.db, onNews: () => undefined, allowPrivate: true, now: () => new Date() })
  await live.chat({ botId, fence: 0 }, { from: 'ada', name: 'Ada', text: 'Hello', at: moment(1).getTime() })
  await live.chat({ botId, fence: 0 }, { from: botId, name: 'Emissary', text: 'I take notes.', at: moment(2).getTime() })
  await live.stop()
  const { chatMessages } = (await read(botId, 'get_chats')).body
  expect(chatMessages).toMatchObject([
    { text: 'Hello', is_bot: false },
    { text: 'I take notes.', is_bot: true, deviceId: botId },
  ])
  const events = await service.db.selectFrom('events').select('name').where('bot_id', '=', botId).execute()
  expect(events.filter(({ name }) => name === 'participant_events.chat_message')).toHaveLength(1)
})
