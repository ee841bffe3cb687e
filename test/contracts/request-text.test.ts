// Text in requests must be UTF-8 without control characters; errors name the field.
import { beforeAll, describe, expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { ADMIN_TOKEN, API_KEY, type Client, clientOf } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

const service = serviceForFile()
let api: Client
let botId: string
beforeAll(async () => {
  api = service.api
  botId = (await api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, join_at: TOMORROW })).body.bot_id
})

const create = (fields: object) => api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, join_at: TOMORROW, ...fields })

/** Sends bytes, because fetch would replace invalid UTF-8. */
async function createFrom(...parts: readonly (string | number)[]): Promise<{ status: number; message: string }> {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))
  const headers = { authorization: `Token ${API_KEY}`, 'content-type': 'application/json' }
  const response = await fetch(`${service.url}/api/v1/bots/create_bot`, { method: 'POST', headers, body })
  return { status: response.status, message: ((await response.json()) as { message: string }).message }
}

describe('a body', () => {
  const HEAD = `{"meeting_link":"${MEET}","join_at":"${TOMORROW}"`

  test.each([
    ['a field', ['"bot_name":"Zo', 0xeb, '"}'], 'bot_name must be valid UTF-8.'],
    [
      'a nested field',
      ['"custom_attributes":{"a":"\\ud83e\\udd8a \\\\u00e9 ü","note":"', 0xc0, 0x80, '"}}'],
      'custom_attributes.note must be valid UTF-8.',
    ],
    ['a field name', ['"custom_attributes":{"', 0xff, '":1}}'], 'custom_attributes must be valid UTF-8.'],
    ['an encoded surrogate', ['"bot_name":"', 0xed, 0xa0, 0x80, '"}'], 'bot_name must be valid UTF-8.'],
    ['its structure', ['"bot_name":', 0xff, '}'], 'The request body must be valid UTF-8.'],
  ])('is rejected if it is not UTF-8 in %s', async (_where, parts, message) => {
    expect(await createFrom(`${HEAD},`, ...parts)).toEqual({ status: 400, message })
  })

  test('keeps every valid character', async () => {
    const note = 'ü 🦊 \ufffd \u2028 tab\t line\r\nend'
    const { status, body } = await create({ bot_name: 'Zoë 🦊', custom_attributes: { note } })
    expect(status).toBe(201)
    expect((await api('GET', `/api/v1/bots/${body.bot_id}/status`)).body.custom_attributes).toEqual({ note })
  })

  test.each([
    [{ bot_name: 'a\0b' }, 'bot_name must not contain a control character (U+0000).'],
    [{ bot_message: 'bell \u0007' }, 'bot_message must not contain a control character (U+0007).'],
    [
      { custom_attributes: { deep: [{ note: '\u001b[31m' }] } },
      'custom_attributes.deep.0.note must not contain a control character (U+001B).',
    ],
    [{ custom_attributes: { 'a\u0001': 1 } }, 'A field name in custom_attributes must not contain a control character (U+0001).'],
    [{ 'x\0': 1 }, 'A field name must not contain a control character (U+0000).'],
    [{ bot_name: '\ud800' }, 'bot_name must not contain half a surrogate pair (U+D800).'],
    [{ custom_attributes: { note: '🦊\udd8a' } }, 'custom_attributes.note must not contain half a surrogate pair (U+DD8A).'],
    [
      { recording_config: { transcript: { provider: { native: { prompt: '\0' } } } } },
      'recording_config.transcript.provider.native.prompt must not contain',
    ],
  ])('rejects %j', async (fields, message) => {
    const answer = await create(fields)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(message)
  })
})

describe('a single-line field', () => {
  const line = (field: string) => `${field} must be one line without control characters.`

  test.each([
    [{ bot_name: 'two\nlines' }, 'bot_name'],
    [{ bot_name: 'tab\t' }, 'bot_name'],
    [{ bot_name: 'next\u0085line' }, 'bot_name'],
    [{ deduplication_key: 'a\r\nb' }, 'deduplication_key'],
    [{ callback_url: 'https://example.com/\nx' }, 'callback_url'],
    [{ google_meet: { sign_in_email: 'a@example.com\n' } }, 'google_meet.sign_in_email'],
  ])('rejects %j', async (fields, field) => {
    expect(await create(fields)).toMatchObject({ status: 400, body: { message: line(field) } })
  })

  test('rejects a line break in every other name', async () => {
    const operator = clientOf(service.url, ADMIN_TOKEN)
    const asked: [Client, string, string, object, string][] = [
      [api, 'PATCH', `/api/v1/calendar/scheduled_bots/${botId}`, { scheduled_join_time: TOMORROW, bot_username: 'a\nb' }, 'bot_username'],
      [operator, 'POST', '/admin/v1/workspaces', { name: 'a\nb', user_email: 'a@example.com' }, 'name'],
      [api, 'POST', '/api/v1/google-login-domains', { sso_workspace_domain: 'a.example', name: 'a\nb' }, 'name'],
      [api, 'POST', '/api/v1/webhook_endpoints', { url: 'https://a.example/\n', events: ['*'] }, 'url'],
      [api, 'POST', `/api/v1/bots/${botId}/speak`, { text: 'two\nlines', voice: 'a\nb' }, 'voice'],
    ]
    for (const [client, method, path, body, field] of asked)
      expect(await client(method, path, body), path).toMatchObject({ status: 400, body: { message: line(field) } })
  })

  test('accepts line breaks in multi-line fields', async () => {
    expect((await create({ bot_message: 'Hello,\n\tthis is recorded.\r\n' })).status).toBe(201)
    expect((await api('POST', `/api/v1/bots/${botId}/send_message`, { message: 'two\nlines' })).status).toBe(409)
  })

  test('rejects a long bot_name and names the limit', async () => {
    expect((await create({ bot_name: 'n'.repeat(100) })).status).toBe(201)
    expect(await create({ bot_name: 'n'.repeat(101) })).toMatchObject({
      status: 400,
      body: { message: 'bot_name must have 1 to 100 characters.' },
    })
  })
})

describe('a query', () => {
  test.each([
    ['custom_attr[tag]=a%00b', 'custom_attr[tag] must not contain a control character (U+0000).'],
    ['status=%07', 'status must not contain a control character (U+0007).'],
    ['a%00b=1', 'The name of a query parameter must not contain a control character (U+0000).'],
    ['custom_attr[a]=x&custom_attr[a]=%1F', 'custom_attr[a] must not contain a control character (U+001F).'],
  ])('is rejected with a control character: %s', async (query, message) => {
    expect(await api('GET', `/api/v1/bots?${query}`)).toMatchObject({ status: 400, body: { message } })
  })

  test('does not give 500 if it is not UTF-8', async () => {
    for (const query of ['custom_attr[a]=%ff', 'custom_attr[%c0%80]=1', 'custom_attr[a]=%ED%A0%80', 'cursor=%ff'])
      expect([200, 400], query).toContain((await api('GET', `/api/v1/bots?${query}`)).status)
  })

  test('is ignored with a NUL on a path without query parameters', async () => {
    for (const path of ['/sso/google/session?token=%00', '/media/token/name?x=%00'])
      expect((await clientOf(service.url, null)('GET', path)).status, path).toBe(403)
  })
})

test('answers 404 or 400, never 500, for a NUL in any path', async () => {
  const paths = [
    'bots/%00/status',
    'bots/x%00y/detail',
    'transcript/%00/get_transcript',
    'webhook_endpoints/%00',
    'google-login-domains/%00',
  ]
  for (const path of paths) expect([400, 404], path).toContain((await api('GET', `/api/v1/${path}`)).status)
})
