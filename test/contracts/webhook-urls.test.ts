// Every URL field rejects forbidden URLs and names the field.
import { beforeAll, expect, test } from 'vitest'
import { HOSTILE_URLS } from '../helpers/requests/hostile-urls.ts'
import { botInMeeting } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Answer } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://us02web.zoom.us/j/81234567890?pwd=secret.1'

const service = serviceForFile({ ALLOW_INSECURE_URLS: 'false', BOT_WORKERS: '0' })
let endpointId: string
let present: string
let gone: string
beforeAll(async () => {
  const { body } = await service.api('POST', '/api/v1/webhook_endpoints', { url: 'https://hooks.example/x', events: ['*'] })
  endpointId = body.id
  present = await botInMeeting(service)
  gone = await botInMeeting(service, 'Stopped')
})

type Field = { readonly name: string; readonly scheme: 'https' | 'wss' | 'http'; readonly send: (url: string) => Promise<Answer> }

const creating = (name: string, scheme: Field['scheme'], body: (url: string) => object): Field => ({
  name,
  scheme,
  send: (url) => service.api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, ...body(url) }),
})
const socket = (field: string) => creating(`${field}.websocket_url`, 'wss', (websocket_url) => ({ [field]: { websocket_url } }))
const realtime = (type: 'webhook' | 'websocket', scheme: Field['scheme']) =>
  creating('recording_config.realtime_endpoints.0.url', scheme, (url) => ({
    recording_config: { realtime_endpoints: [{ type, url, events: ['participant_events.join'] }] },
  }))

const FIELDS: readonly Field[] = [
  creating('callback_url', 'http', (callback_url) => ({ callback_url })),
  creating('callback_url', 'https', (callback_url) => ({ callback_url })),
  creating('bot_image_url', 'https', (bot_image_url) => ({ bot_image_url })),
  creating('initial_audio.url', 'https', (url) => ({ initial_audio: { url } })),
  creating('live_transcription_required.webhook_url', 'https', (webhook_url) => ({
    live_transcription_required: { webhook_url },
    recording_config: { transcript: { provider: 'native_streaming' } },
  })),
  ...['live_transcription_required', 'live_audio_required', 'socket_connection_url'].map(socket),
  realtime('webhook', 'https'),
  realtime('websocket', 'wss'),
  creating('platforma.zak_url', 'https', (zak_url) => ({ meeting_link: ZOOM, platforma: { zak_url } })),
  creating('platforma.obf_url', 'https', (obf_url) => ({ meeting_link: ZOOM, platforma: { obf_url } })),
  { name: 'img_url', scheme: 'https', send: (img_url) => service.api('POST', `/api/v1/bots/${present}/send_image`, { img_url }) },
  {
    name: 'callback_url',
    scheme: 'https',
    send: (callback_url) => service.api('POST', `/api/v1/bots/${gone}/transcribe`, { callback_url }),
  },
  {
    name: 'callback_url',
    scheme: 'https',
    send: (callback_url) => service.api('POST', '/api/v1/calendar/auto-schedule/enable', { default_bot_config: { callback_url } }),
  },
  { name: 'url', scheme: 'http', send: (url) => service.api('POST', '/api/v1/webhook_endpoints', { url, events: ['*'] }) },
  { name: 'url', scheme: 'https', send: (url) => service.api('PATCH', `/api/v1/webhook_endpoints/${endpointId}`, { url }) },
]

test('covers every URL field', () => {
  expect(new Set(HOSTILE_URLS).size).toBeGreaterThanOrEqual(72)
})

test.each(FIELDS)('rejects invalid and private URLs in $name ($scheme)', { timeout: 60_000 }, async ({ name, scheme, send }) => {
  const allowed = await send(`${scheme}://hooks.example/x`)
  expect(allowed.status, JSON.stringify(allowed.body)).not.toBe(400)
  const accepted: string[] = []
  for (const hostile of HOSTILE_URLS) {
    const url = hostile.replace('SCHEME', scheme)
    const { status, body } = await send(url)
    if (status !== 400 || !body.message.startsWith(`${name} `)) accepted.push(`${url}: ${status} ${JSON.stringify(body)}`)
  }
  expect(accepted).toEqual([])
})
