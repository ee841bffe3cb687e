// The webhooks of the OpenAPI document, compared with deliveries.
import { beforeAll, expect, test } from 'vitest'
import { EVENT_NAMES, everyAnnouncement } from '../../src/domain/announcements.ts'
import type { BotId, WorkspaceId } from '../../src/domain/bot.ts'
import { eventOf } from '../../src/service/delivery/announce.ts'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { type Description, misfit, readDescription, type Schema } from '../helpers/requests/openapi.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'

const service = serviceForFile({ ...WITH_BOTS, WEBHOOK_HEADER_PREFIX: 'X-Acme' })
let webhooks: Description['webhooks']

beforeAll(async () => {
  webhooks = (await readDescription(service.api)).webhooks
})

const payloadOf = (event: string): Schema => {
  const schema = webhooks[event]?.post.requestBody?.content['application/json']?.schema
  if (!schema) throw new Error(`The event ${event} is not described`)
  return schema
}

/** The differences between an event and its schema. Unknown fields count as differences. */
function problemOf(event: Readonly<Record<string, unknown>>): string | null {
  const schema = payloadOf(String(event.event))
  const unknown = Object.keys(event).find((name) => !Object.hasOwn(schema.properties ?? {}, name))
  return misfit(schema, event) ?? (unknown === undefined ? null : `${unknown} is not described`)
}

test('documents a webhook for every event', () => {
  expect(EVENT_NAMES.filter((name) => !Object.hasOwn(webhooks, name))).toEqual([])
  expect(new Set(Object.values(webhooks).map(({ post }) => post.operationId)).size).toBe(Object.keys(webhooks).length)
})

test('documents a payload that every announcement matches', () => {
  const bot = {
    id: 'bot_1' as BotId,
    workspaceId: 'w' as WorkspaceId,
    callbackUrl: null,
    transcriptId: null,
    customAttributes: { tag: 'x' },
  }
  const extras: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    'bot.scheduled': { scheduled_join_time: new Date(0).toISOString() },
    'audio.processed': { audio_status: 'Success' },
    'video.processed': { video_status: 'Failed' },
    'transcription.processed': { transcript_status: 'Success', provider: 'native' },
    'transcription.failed': { transcript_status: 'Failed', provider: 'native' },
    data_deletion: { status: 'success', deleted_objects: 3 },
  }
  for (const announcement of everyAnnouncement()) {
    const extra = extras[announcement.event]
    const { body } = eventOf(bot, { announcement, message: 'It happened', at: new Date(0), ...(extra && { extra }) })
    expect(problemOf(JSON.parse(body)), announcement.event).toBeNull()
  }
})

test('delivers events with the documented payload and headers', async () => {
  const hook = await startReceiver()
  try {
    const { body: endpoint } = await service.api('POST', '/api/v1/webhook_endpoints', { url: hook.url, events: ['*'] })
    await service.api('POST', `/api/v1/webhook_endpoints/${endpoint.id}/test`)
    await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, custom_attributes: { tag: 'x' } })
    const join_at = new Date(Date.now() + 86_400_000).toISOString()
    await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, join_at })
    const received = await hook.waitFor(5, 30_000)
    expect(received.map(({ body }) => body.event)).toEqual(expect.arrayContaining(['webhook_endpoint.test', 'bot.scheduled', 'bot.done']))
    const described = (webhooks['bot.done']?.post.parameters ?? []).map(({ name }) => name.toLowerCase())
    expect(described).toContain('x-acme-signature')
    for (const { body, headers } of received) {
      expect(problemOf(body), body.event).toBeNull()
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(described))
    }
    const { body: feed } = await service.api('GET', '/api/v1/events')
    expect(feed.events.map(problemOf)).toEqual(feed.events.map(() => null))
  } finally {
    await hook.close()
  }
})
