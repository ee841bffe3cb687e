// Bodies of requests: who asks is known before a body is read, and its size, depth and number of values are limited.
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { API_KEY, clientOf, startTestService, type TestService, WITH_DASHBOARD } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

let service: TestService
beforeEach(async () => {
  service = await startTestService({ ...WITH_DASHBOARD, AUTH_FAILURES_PER_MINUTE: '5' })
})
afterEach(() => service.stop())

/** A megabyte that took 75 times its parsing to check, because every value had its path copied. */
const WORST = `{"email":${'{"a":'.repeat(28)}[${Array(480_000).fill('0').join(',')}]${'}'.repeat(28)}}`

async function post(path: string, body: string, authorization?: string): Promise<{ status: number; message: string }> {
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  const response = await fetch(`${service.url}${path}`, { method: 'POST', headers, body })
  return { status: response.status, message: ((await response.json()) as { message: string }).message }
}

/** Announces a body, sends none of it, and returns the first line of the answer. */
async function answerBeforeBody(path: string, authorization = ''): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (part) => {
    answer += part
  })
  const more = authorization && `authorization: ${authorization}\r\n`
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${more}content-type: application/json\r\ncontent-length: 10\r\n\r\n`)
  await until('the service answers', () => answer.includes('\r\n'), 5_000)
  socket.destroy()
  return answer.slice(0, answer.indexOf('\r\n'))
}

describe('before a body is read', () => {
  test.each([
    ['/internal/v1/bots/x', 'HTTP/1.1 404 Not Found'],
    ['/dashboard/v1/workspaces', 'HTTP/1.1 401 Unauthorized'],
    ['/api/v1/bots/create_bot', 'HTTP/1.1 401 Unauthorized'],
    ['/admin/v1/workspaces', 'HTTP/1.1 401 Unauthorized'],
  ])('refuses a stranger at %s', async (path, answer) => {
    expect(await answerBeforeBody(path)).toBe(answer)
  })

  test('refuses another node with a wrong key', async () => {
    expect(await answerBeforeBody('/internal/v1/bots/x', 'Node wrong')).toBe('HTTP/1.1 404 Not Found')
  })

  test('refuses an address that has sent too many invalid bodies', async () => {
    for (let count = 0; count < 5; count++) expect((await post('/dashboard/v1/session', '{')).status).toBe(400)
    expect(await answerBeforeBody('/dashboard/v1/invitation')).toBe('HTTP/1.1 429 Too Many Requests')
    const refused = await post('/dashboard/v1/session', '{}')
    expect(refused).toEqual({
      status: 429,
      message: expect.stringMatching(/^Too many invalid requests from this address\. Try again in \d+ s\.$/),
    })
    // A caller with a key is not affected.
    expect((await clientOf(service.url, API_KEY)('GET', '/api/v1/bots')).status).toBe(200)
  })
})

test.each(['/dashboard/v1/session', '/dashboard/v1/invitation', '/dashboard/v1/invitation/accept', '/hooks/calendar/google'])(
  'accepts at most 16 kB from a stranger at %s',
  async (path) => {
    expect(await post(path, WORST)).toEqual({ status: 400, message: 'The request body must be at most 16 kB.' })
    expect((await post(path, JSON.stringify({ token: 'x'.repeat(15_000) }))).message).not.toContain('at most 16 kB')
  },
)

test('accepts at most 64 kB of notifications from a calendar', async () => {
  expect(await post('/hooks/calendar/outlook', WORST)).toEqual({ status: 400, message: 'The request body must be at most 64 kB.' })
  const value = Array.from({ length: 100 }, (_, index) => ({
    subscriptionId: `${index}`,
    clientState: 'x'.repeat(256),
    resource: 'r'.repeat(200),
  }))
  expect((await post('/hooks/calendar/outlook', JSON.stringify({ value }))).status).toBe(202)
})

test('accepts at most 50,000 values from a caller with a key', async () => {
  const create = (body: string) => post('/api/v1/bots/create_bot', body, `Token ${API_KEY}`)
  expect(await create(WORST)).toEqual({ status: 400, message: 'The request body must have at most 50000 values.' })
  expect((await create(`{"a":[${Array(49_000).fill('0').join(',')}]}`)).message).toBe('meeting_link is required.')
})

test('rejects a body that is nested more than 32 levels deep', async () => {
  const nested = (levels: number) => post('/api/v1/bots/create_bot', `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`, `Token ${API_KEY}`)
  expect((await nested(32)).message).toBe('meeting_link is required.')
  expect(await nested(33)).toEqual({ status: 400, message: 'The request body must be nested at most 32 levels deep.' })
})
