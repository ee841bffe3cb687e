// Links that are accepted but cannot be joined: how their bots end.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderForFile } from '../helpers/for-file.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Client, startTestService, type TestService } from '../helpers/service/service.ts'
import { workerProcesses } from '../helpers/service/worker-processes.ts'
import { until } from '../helpers/until.ts'

const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=secret.1'
const WHATSAPP = 'https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv'
/** A browser that cannot start, so that a launched bot would end with another reason. */
const NO_BROWSER = { BOT_WORKERS: '1', CHROMIUM_PATH: '/nowhere/chromium' }

const service = serviceForFile(NO_BROWSER)

/** The finished bot and its events. */
async function fate(meeting_link: string, { api }: { readonly api: Client } = service, change: object = {}) {
  const created = await api('POST', '/api/v1/bots/create_bot', { meeting_link, ...change })
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 })
  const { bot_id } = created.body
  const events = () =>
    api('GET', '/api/v1/events?limit=100').then(({ body }) => body.events.filter((it: { bot_id: string }) => it.bot_id === bot_id))
  await until('the bot is done', async () => (await events()).some(({ event }: { event: string }) => event === 'bot.done'), 20_000)
  const { bot_details } = (await api('GET', `/api/v1/bots/${bot_id}/detail`)).body
  const ending = (await events()).find(({ event }: { event: string }) => event === 'bot.stopped')
  return { bot_id, bot_details, ending, eventNames: (await events()).map(({ event }: { event: string }) => event) }
}

describe('a Zoom link that has no meeting number', () => {
  test.each([
    ['https://zoom.us/my/ada.lovelace', 'Zoom personal links cannot be joined yet.'],
    ['https://events.zoom.us/ejl/AbCdEf123', 'Zoom event links cannot be joined yet.'],
    ['https://acme.zoom.us/launch/chat', 'This Zoom link has no /j/<meeting-id> path and cannot be joined yet.'],
  ])('ends as Error: %s', async (link, why) => {
    const { ending, bot_details, eventNames } = await fate(link)
    const message = `Error: Invalid meeting link format: ${why}`
    expect(ending).toMatchObject({ bot_event: 'bot.failed', bot_status: 'Error', status_code: 500, message })
    expect(bot_details).toMatchObject({ Status: 'Done', ErrorReason: 'InvalidMeetingLink', StatusTimeline: { Error: { message } } })
    expect(eventNames).toEqual(['bot.joining', 'bot.stopped', 'bot.mediaprocessing', 'bot.done'])
  })
})

test('refuses a Zoom link on a server without the SDK, and says what to run', async () => {
  const { status, body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM })
  const why = 'Zoom’s Meeting SDK is not installed. Its operator must run `emissary zoom install` and restart it (see docs/zoom.md).'
  expect([status, body.message]).toEqual([400, `meeting_link is a Zoom meeting, and this server cannot join it: ${why}`])
})

describe('a WhatsApp call', () => {
  test('ends as Failed with a clear reason', async () => {
    const { ending, bot_details, eventNames } = await fate(WHATSAPP)
    const message = 'Failed: The link is valid, but joining is not available on this server: no public way to join a WhatsApp call is known'
    expect(ending).toMatchObject({ bot_event: 'bot.failed', bot_status: 'Failed', status_code: 500, message })
    expect(bot_details).toMatchObject({ Status: 'Failed', ErrorReason: 'PlatformUnavailable', Message: message })
    expect(eventNames).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
  })

  test.each([
    ['/api/v1/bots/{id}/send_message', { message: 'Hello' }],
    ['/api/v1/bots/{id}/send_image', { img_url: 'https://files.example/a.png' }],
    ['/api/v1/bots/{id}/take_screenshot', undefined],
  ])('does not support %s', async (path, body) => {
    const { bot_id } = await fate(WHATSAPP)
    const answer = await service.api('POST', path.replace('{id}', bot_id), body)
    expect(answer).toMatchObject({ status: 400, body: { code: 'unsupported_command', message: expect.stringContaining('WhatsApp') } })
  })

  test('has grid_view as its only video_layout', async () => {
    const create = (video_layout: string, meeting_link = WHATSAPP) =>
      service.api('POST', '/api/v1/bots/create_bot', { meeting_link, recording_config: { video_layout } })
    expect((await create('grid_view')).status).toBe(201)
    expect(await create('speaker_view')).toMatchObject({
      status: 400,
      body: { message: 'recording_config.video_layout must be grid_view for WhatsApp.' },
    })
    expect((await create('speaker_view', 'https://zoom.us/my/ada.lovelace')).status).toBe(201)
  })
})

test('starts no worker and charges nothing for bots with an unjoinable link', async () => {
  const { bot_id } = await fate(WHATSAPP)
  const { bot_id: zoom } = await fate('https://zoom.us/my/ada.lovelace')
  const charged = await service.db.selectFrom('credit_entries').select('bot_id').where('bot_id', 'in', [bot_id, zoom]).execute()
  expect(charged).toEqual([])
  expect(workerProcesses()).toEqual([])
  expect((await service.api('GET', '/api/v1/usage')).body).toMatchObject({ bot_seconds: 0, cost: 0 })
})

describe('a Zoom bot without credentials', () => {
  const sdk = folderForFile('emissary-zoom-sdk-')
  let bare: TestService
  beforeAll(async () => {
    await mkdir(join(sdk, 'dist'))
    bare = await startTestService({ ...NO_BROWSER, ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '', ZOOM_SDK_FOLDER: sdk })
  })
  afterAll(() => bare.stop())

  test('is rejected at creation with a message that names both ways to set them', async () => {
    expect(await bare.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM })).toMatchObject({
      status: 400,
      body: {
        message:
          'meeting_link is a Zoom meeting, and there are no Zoom credentials: set zoom_sdk_key and zoom_sdk_secret of the workspace (PATCH /api/v1/settings), or ZOOM_SDK_KEY and ZOOM_SDK_SECRET of the server.',
      },
    })
  })

  test('is rejected at its start if they were removed after it was scheduled', async () => {
    const keep = (value: string | null) => bare.api('PATCH', '/api/v1/settings', { zoom_sdk_key: value, zoom_sdk_secret: value })
    await keep('own')
    const join_at = new Date(Date.now() + 3_600_000).toISOString()
    const { bot_id } = (await bare.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM, join_at })).body
    await keep(null)
    const at = new Date()
    await bare.db.updateTable('bots').set({ join_at: at, launch_at: at }).where('id', '=', bot_id).execute()
    const detail = async () => (await bare.api('GET', `/api/v1/bots/${bot_id}/detail`)).body.bot_details
    await until('it has been rejected', async () => (await detail()).ErrorReason !== null, 30_000)
    expect(await detail()).toMatchObject({
      Status: 'Error',
      ErrorReason: 'ScheduledDispatchRejected',
      Message: expect.stringMatching(/^Error: meeting_link is a Zoom meeting, and there are no Zoom credentials/),
    })
  })
})

test('requires no credentials of a Zoom bot if ZOOM_WAY is web, and rejects a token URL and a webinar', async () => {
  const web = await startTestService({ ZOOM_WAY: 'web', ZOOM_SDK_KEY: '', ZOOM_SDK_SECRET: '' })
  try {
    expect((await web.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM })).status).toBe(201)
    const platforma = { zak_url: 'https://tokens.example/zak' }
    expect(await web.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM, platforma })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^platforma.zak_url and obf_url need Zoom’s SDK/) },
    })
    expect(await web.api('POST', '/api/v1/bots/create_bot', { meeting_link: ZOOM.replace('/j/', '/w/') })).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^meeting_link is a Zoom webinar, which needs Zoom’s SDK/) },
    })
  } finally {
    await web.stop()
  }
})
