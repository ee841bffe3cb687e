// Authentication, unknown paths, rate limits and the operator API.
import { describe, expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { ADMIN_TOKEN, API_KEY, clientOf } from '../helpers/service/service.ts'

const limited = serviceForFile({ RATE_LIMIT_PER_MINUTE: '5' })
const service = serviceForFile()

describe('authentication', () => {
  test('answers 401 without the header', async () => {
    expect(await clientOf(service.url, null)('GET', '/api/v1/bots')).toMatchObject({ status: 401, body: { message: 'Unauthorized' } })
  })

  test.each([`Bearer ${API_KEY}`, API_KEY, 'Token', 'Token wrong', `Token ${API_KEY} x`, 'Token \u00e4'])(
    'answers 403 to "%s"',
    async (authorization) => {
      const answer = await clientOf(service.url, null)('GET', '/api/v1/bots', undefined, { authorization })
      expect(answer).toMatchObject({ status: 403, body: { message: 'Forbidden' } })
    },
  )

  test('answers 403 to a revoked key at once', async () => {
    const { body } = await service.operator('POST', '/admin/v1/workspaces', { name: 'short', user_email: 'short@example.com' })
    const { body: key } = await service.operator('POST', `/admin/v1/workspaces/${body.workspace_id}/keys`, { name: 'second' })
    const client = clientOf(service.url, key.api_key)
    expect((await client('GET', '/api/v1/bots')).status).toBe(200)
    expect((await service.operator('DELETE', `/admin/v1/keys/${key.key_id}`)).status).toBe(200)
    expect((await client('GET', '/api/v1/bots')).status).toBe(403)
    expect((await service.operator('DELETE', `/admin/v1/keys/${key.key_id}`)).status).toBe(404)
    expect((await clientOf(service.url, body.api_key)('GET', '/api/v1/bots')).status).toBe(200)
  })

  test('answers 401 to a service key on calendar endpoints', async () => {
    const machine = await service.stranger({ service: true })
    expect((await machine('GET', '/api/v1/calendar/scheduled')).status).toBe(401)
    expect((await machine('GET', '/api/v1/bots')).status).toBe(200)
  })
})

describe('unknown paths and ids', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/api/v1/nope'],
    ['POST', '/api/v1/bots'],
    ['PUT', '/api/v1/bots/create_bot'],
    ['GET', '/api/v2/bots'],
    ['GET', '/bots'],
    ['OPTIONS', '/api/v1/bots'],
  ])('answers 404 for %s %s', async (method, path) => {
    expect(await service.api(method, path)).toMatchObject({ status: 404, body: { message: 'Not Found' } })
  })

  test('answers 410 for the retired token endpoints', async () => {
    for (const token of ['zak', 'obf']) expect((await service.api('GET', `/api/v1/zoom/${token}-token`)).status).toBe(410)
  })

  test('answers 404 for an unknown id', async () => {
    for (const id of ['bot_unknown', 'x', '%00', '..%2f..', 'a'.repeat(200), encodeURIComponent('✨')]) {
      expect(await service.api('GET', `/api/v1/bots/${id}/status`), id).toMatchObject({ status: 404, body: { message: 'Bot not found' } })
    }
    expect(await service.api('GET', '/api/v1/transcript/trn_x/get_transcript')).toMatchObject({
      status: 404,
      body: { message: 'Transcript not found' },
    })
  })

  test('gives every answer its own request id', async () => {
    const ids = await Promise.all(
      ['/healthz', '/nope', '/api/v1/bots'].map(async (path) => (await service.api('GET', path)).headers.get('x-request-id')),
    )
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^req_/)
  })
})

describe('rate limits', () => {
  test('limits requests per key and minute, and sends Retry-After', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => limited.api('GET', '/api/v1/usage')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(refused?.body.message).toMatch(/^Too many requests/)
    const other = await limited.stranger()
    expect((await other('GET', '/api/v1/usage')).status).toBe(200)
  })

  test('limits pause and resume to 30 requests per minute and bot', async () => {
    const create = () => service.api('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij' })
    const [first, second] = [(await create()).body.bot_id, (await create()).body.bot_id]
    const command = (id: string, index: number) => service.api('POST', `/api/v1/bots/${id}/${index % 2 ? 'pause' : 'resume'}_recording`)
    const answers = await Promise.all(Array.from({ length: 31 }, (_, index) => command(first, index)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
    expect((await command(second, 0)).status).toBe(409)
  })
})

describe('the operator API', () => {
  test('creates workspaces, credits and keys', async () => {
    const { status, body } = await service.operator('POST', '/admin/v1/workspaces', { name: 'acme', user_email: 'a@acme.example' })
    expect([status, Object.keys(body)]).toEqual([201, ['workspace_id', 'user_id', 'api_key']])
    const credits = (amount: unknown) => service.operator('POST', `/admin/v1/workspaces/${body.workspace_id}/credits`, { amount })
    expect((await credits(10)).body).toEqual({ balance: 10 })
    expect((await credits(-2.5)).body).toEqual({ balance: 7.5 })
    expect((await credits('x')).status).toBe(400)
    expect((await service.operator('POST', '/admin/v1/workspaces/wsp_nope/credits', { amount: 1 })).status).toBe(404)
    const { body: all } = await service.operator('GET', '/admin/v1/workspaces')
    expect(all.workspaces).toContainEqual(expect.objectContaining({ workspace_id: body.workspace_id, name: 'acme', balance: 7.5 }))
  })

  test('rejects API keys, and its token is rejected by the API', async () => {
    expect((await clientOf(service.url, ADMIN_TOKEN)('GET', '/api/v1/bots')).status).toBe(403)
    expect((await service.api('GET', '/admin/v1/workspaces')).status).toBe(403)
    expect((await clientOf(service.url, null)('GET', '/admin/v1/workspaces')).status).toBe(401)
  })
})

test('requires no key for the page, code and socket of the built-in room', async () => {
  const open = clientOf(service.url, null)
  const page = await open('GET', '/room/design-review')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  expect(page.headers.get('content-security-policy')).not.toContain('unsafe-inline')
  const script = new URL(/src="([^"]+)"/.exec(page.body)?.[1] ?? '', `${service.url}/room/design-review`)
  expect((await open('GET', script.pathname)).headers.get('content-type')).toContain('javascript')
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/room/design-review/socket`)
  const opened = await new Promise((resolve) => {
    socket.addEventListener('open', () => resolve('open'))
    socket.addEventListener('error', () => resolve('error'))
  })
  expect(opened).toBe('open')
  socket.close()
})

test('requires no key for health, readiness and metrics', async () => {
  const open = clientOf(service.url, null)
  expect((await open('GET', '/healthz')).body).toEqual({ status: 'ok' })
  expect((await open('GET', '/readyz')).body).toEqual({ status: 'ready' })
  const metrics = (await open('GET', '/metrics')).body
  expect(metrics).toContain('emissary_http_request_seconds_bucket')
  expect(metrics).toContain('route="/api/v1/bots/:bot_id/status"')
})
