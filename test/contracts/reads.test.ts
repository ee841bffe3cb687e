// The list of bots, and reads of a bot without media.
import { beforeAll, describe, expect, test } from 'vitest'
import type { BotId } from '../../src/domain/bot.ts'
import { keepArtefact } from '../../src/service/db/media/recordings.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Client, NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

// Zoom links are refused without the SDK, which its web client does not need.
const service = serviceForFile({ ...WITH_BOTS, ZOOM_WAY: 'web' })
let api: Client
beforeAll(async () => {
  api = service.api
})

async function create(body: object): Promise<string> {
  const answer = await api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, join_at: TOMORROW, ...body })
  expect(answer.status).toBe(201)
  return answer.body.bot_id
}

async function listed(query: string): Promise<string[]> {
  const { status, body } = await api('GET', `/api/v1/bots?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.bots.map((bot: { bot_id: string }) => bot.bot_id)
}

describe('the list of bots', () => {
  test('filters by custom attributes with AND: numbers and equal text, booleans, null', async () => {
    const number = await create({ custom_attributes: { kind: 'attr', count: 3, enabled: true, 'odd name': 'a&b=c' } })
    const text = await create({ custom_attributes: { kind: 'attr', count: '3', enabled: false, gone: null } })
    const other = await create({ custom_attributes: { kind: 'attr', count: 30, nested: { count: 3 } } })
    expect(await listed('custom_attr[kind]=attr')).toEqual([other, text, number])
    expect(await listed('custom_attr[kind]=attr&custom_attr[count]=3')).toEqual([text, number])
    expect(await listed('custom_attr[count]=3.0&custom_attr[kind]=attr')).toEqual([text, number])
    expect(await listed('custom_attr[count]=3&custom_attr[enabled]=true')).toEqual([number])
    expect(await listed('custom_attr[enabled]=false')).toEqual([text])
    expect(await listed('custom_attr[gone]=null')).toEqual([text])
    expect(await listed(`custom_attr[odd name]=${encodeURIComponent('a&b=c')}`)).toEqual([number])
    expect(await listed('custom_attr[kind]=attr&custom_attr[kind]=other')).toEqual([])
    expect(await listed('custom_attr[nested]=3')).toEqual([])
  })

  test('filters by status case-insensitively and by platform case-sensitively', async () => {
    const teams = await create({ meeting_link: TEAMS, custom_attributes: { kind: 'filter' } })
    const meet = await create({ custom_attributes: { kind: 'filter' } })
    expect(await listed('custom_attr[kind]=filter&status=SCHEDULED')).toEqual([meet, teams])
    expect(await listed('custom_attr[kind]=filter&status=Done')).toEqual([])
    expect(await listed('custom_attr[kind]=filter&platform=Teams')).toEqual([teams])
    expect(await listed('custom_attr[kind]=filter&platform=GMeet')).toEqual([meet])
    const platform = await api('GET', '/api/v1/bots?platform=gmeet')
    expect(platform).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^platform .*GMeet/) } })
    const status = await api('GET', '/api/v1/bots?status=Active')
    expect(status).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^status /) } })
  })

  test('searches case-insensitively in name and link, by whole id, and without wildcards', async () => {
    const sales = await create({ bot_name: 'Sales 100%_Note', custom_attributes: { kind: 'search' } })
    const other = await create({ bot_name: 'Sales 1000 Note', meeting_link: TEAMS, custom_attributes: { kind: 'search' } })
    expect(await listed('custom_attr[kind]=search&search=sALES')).toEqual([other, sales])
    expect(await listed(`search=${encodeURIComponent('100%_note')}`)).toEqual([sales])
    expect(await listed('custom_attr[kind]=search&search=2345678901234')).toEqual([other])
    expect(await listed(`search=${sales}`)).toEqual([sales])
    expect(await listed('search=%5C')).toEqual([])
  })

  test('filters by from and to as inclusive UTC days', async () => {
    const id = await create({ custom_attributes: { kind: 'day' } })
    const today = new Date().toISOString().slice(0, 10)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
    expect(await listed(`custom_attr[kind]=day&from=${today}&to=${today}`)).toEqual([id])
    expect(await listed(`custom_attr[kind]=day&to=${yesterday}`)).toEqual([])
    for (const query of [
      'from=15-11-2026',
      'to=2026-02-30',
      `from=${today}&to=${yesterday}`,
      'limit=0',
      'limit=101',
      'limit=x',
      'cursor=abc',
    ]) {
      expect((await api('GET', `/api/v1/bots?${query}`)).status, query).toBe(400)
    }
  })

  test('pages newest first, without gaps or repeats', async () => {
    const ids: string[] = []
    for (let index = 0; index < 7; index++) ids.push(await create({ custom_attributes: { kind: 'page' } }))
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 5; page++) {
      const { body } = await api('GET', `/api/v1/bots?custom_attr[kind]=page&limit=3${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.bots.map((bot: { bot_id: string }) => bot.bot_id))
      if (!body.hasNextPage) break
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids.reverse())
  })

  test('answers records in both spellings', async () => {
    const id = await create({ bot_name: 'Spelling', custom_attributes: { kind: 'spelling' } })
    const { body } = await api('GET', '/api/v1/bots?custom_attr[kind]=spelling')
    expect(body).toMatchObject({ hasNextPage: false, nextCursor: null })
    const created = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(body.bots[0]).toEqual({
      BotID: id,
      Status: 'Scheduled',
      BotUsername: 'Spelling',
      Platform: 'GMeet',
      MeetingLink: MEET,
      CreatedAt: created,
      ScheduledJoinTime: TOMORROW,
      bot_id: id,
      status: 'Scheduled',
      bot_name: 'Spelling',
      platform: 'GMeet',
      meeting_url: MEET,
      created_at: created,
      custom_attributes: { kind: 'spelling' },
    })
  })
})

const CONTENT = [
  'get_audio',
  'get_video',
  'get_recording_streams',
  'get_audio_streams',
  'get_speaker_timeline',
  'get_chats',
  'get_screenshots',
  'get_participants',
]
const COMMANDS: [string, object][] = [
  ['send_message', { message: 'hi' }],
  ['send_image', { img_url: 'https://example.com/x.png' }],
  ['speak', { text: 'hi' }],
  ['take_screenshot', {}],
  ['pause_recording', {}],
  ['resume_recording', {}],
]

describe('a bot without media', () => {
  test('answers 202 before its meeting', async () => {
    const id = await create({})
    for (const path of CONTENT) {
      const { status, body } = await api('GET', `/api/v1/bots/${id}/${path}`)
      expect([status, body.audio_status, body.video_status], path).toEqual([202, 'in_progress', 'in_progress'])
      const are = /(chats|screenshots|participants)$/.test(path) ? 'are' : 'is'
      expect(body.message, path).toMatch(new RegExp(`^The [a-z- ]+ ${are} not ready\\. Current status: Scheduled$`))
    }
    const { body } = await api('GET', `/api/v1/bots/${id}/detail`)
    const transcript = await api('GET', `/api/v1/transcript/${body.bot_details.transcript_id}/get_transcript`)
    expect(transcript).toMatchObject({ status: 202, body: { message: expect.stringMatching(/Current status: Scheduled$/) } })
    expect((await api('POST', `/api/v1/bots/${id}/transcribe`)).status).toBe(409)
  })

  test('answers null for the statuses of files and transcript of a scheduled bot', async () => {
    const { bot_details } = (await api('GET', `/api/v1/bots/${await create({})}/detail`)).body
    expect(bot_details).toMatchObject({ Status: 'Scheduled', AudioStatus: null, VideoStatus: null, TranscriptStatus: null })
  })

  test('answers 404 with the reason after its meeting, 409 to commands, and 404 "Bot not found" once deleted', async () => {
    const { body: made } = await api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
    const id = made.bot_id
    await until('the bot ends', async () => (await api('GET', `/api/v1/bots/${id}/status`)).body.status === 'Failed', 10_000)
    for (const path of CONTENT) {
      expect(await api('GET', `/api/v1/bots/${id}/${path}`), path).toMatchObject({
        status: 404,
        body: { message: expect.stringContaining('recorded nothing') },
      })
    }
    // Only platforms without a driver end bots at once, and those support few commands.
    await service.db.updateTable('bots').set({ platform: 'teams' }).where('id', '=', id).execute()
    for (const [command, body] of COMMANDS) {
      expect(await api('POST', `/api/v1/bots/${id}/${command}`, body), command).toMatchObject({
        status: 409,
        body: { error: 'Bot is not currently in a meeting.', bot_status: 'Failed', detail: expect.any(String) },
      })
    }
    expect((await api('GET', `/api/v1/bots/${id}/remove_bot`)).status).toBe(409)
    expect((await api('POST', `/api/v1/bots/${id}/transcribe`, { provider: 'native' })).status).toBe(404)
    expect((await api('POST', `/api/v1/bots/${id}/transcribe`, { provider: 'nobody' })).status).toBe(400)
    expect((await api('GET', `/api/v1/bots/${id}/transcriptions`)).body).toEqual({ bot_id: id, transcriptions: [] })

    const deleted = await api('DELETE', `/api/v1/bots/${id}/delete`)
    expect(deleted).toMatchObject({ status: 200, body: { bot_id: id, deleted_objects: 1 } })
    for (const path of CONTENT)
      expect(await api('GET', `/api/v1/bots/${id}/${path}`)).toMatchObject({ status: 404, body: { message: 'Bot not found' } })
    expect((await api('GET', `/api/v1/bots/${id}/status`)).body.status).toBe('MediaExpired')
    expect((await api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details).toMatchObject({ Status: 'MediaExpired', Evidence: [] })
    expect((await api('DELETE', `/api/v1/bots/${id}/delete`)).status).toBe(404)
    expect((await api('GET', `/api/v1/transcript/${made.transcript_id}/get_transcript`)).body).toEqual({ message: 'Transcript not found' })
  })

  test('rejects commands that its platform lacks, and commands without their text', async () => {
    const zoom = await create({ meeting_link: 'https://zoom.us/j/81234567890' })
    expect(await api('POST', `/api/v1/bots/${zoom}/take_screenshot`)).toMatchObject({ status: 400, body: { code: 'unsupported_command' } })
    const whatsApp = await create({ meeting_link: NO_DRIVER })
    expect(await api('POST', `/api/v1/bots/${whatsApp}/send_message`, { message: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'unsupported_command' },
    })
    expect(await api('POST', `/api/v1/bots/${zoom}/send_message`, {})).toMatchObject({
      status: 400,
      body: { message: 'message is required.' },
    })
  })

  test('is cancelled by remove_bot while scheduled', async () => {
    const id = await create({})
    expect(await api('GET', `/api/v1/bots/${id}/remove_bot`)).toMatchObject({
      status: 200,
      body: { bot_id: id, message: 'Scheduled bot cancelled' },
    })
    expect((await api('GET', `/api/v1/bots/${id}/status`)).body.status).toBe('Cancelled')
  })
})

test('answers null as the status of media that was not requested', async () => {
  const join_at = new Date(Date.now() + 3_600_000).toISOString()
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    join_at,
    video_required: false,
  })
  await service.db.updateTable('bots').set({ status: 'InMeeting', launch_at: null }).where('id', '=', body.bot_id).execute()
  const { bot_details } = (await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)).body
  expect([bot_details.AudioStatus, bot_details.VideoStatus, bot_details.Queue, bot_details.Absences]).toEqual(['Pending', null, null, []])
})

test('answers Success for audio that is ready while the video is still made', async () => {
  const id = await create({})
  await service.db.updateTable('bots').set({ status: 'MediaProcessing' }).where('id', '=', id).execute()
  const states = async () => {
    const { AudioStatus, VideoStatus } = (await api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
    return [AudioStatus, VideoStatus]
  }
  expect(await states()).toEqual(['Processing', 'Processing'])
  await keepArtefact(service.db, id as BotId, { kind: 'audio', position: 0, key: 'audio', facts: {} }, new Date())
  expect(await states()).toEqual(['Success', 'Processing'])
})
