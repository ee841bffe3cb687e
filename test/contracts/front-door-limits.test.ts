// Limits of the HTTP server: receive timeouts, idle connections and failed authentications per address.
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ADMIN_TOKEN, API_KEY, clientOf, NO_DRIVER, startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

describe('a request that arrives too slowly', () => {
  let service: TestService
  const open: Socket[] = []
  beforeAll(async () => {
    service = await startTestService({ REQUEST_TIMEOUT_SECONDS: '1' })
  })
  afterAll(() => service.stop())
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy()
  })

  /** Reads until the server closes the connection. */
  async function answerTo(text: string): Promise<string> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    open.push(socket)
    let answer = ''
    let closed = false
    socket.on('data', (part) => {
      answer += part
    })
    socket
      .on('error', () => undefined)
      .on('close', () => {
        closed = true
      })
    socket.write(text)
    await until('the server closes the connection', () => closed, 20_000)
    return answer
  }

  const HEAD = `POST /api/v1/bots/create_bot HTTP/1.1\r\nhost: x\r\nauthorization: Token ${API_KEY}\r\n`

  test.each([
    ['a body', `${HEAD}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"meeting_link":`],
    ['a chunked body', `${HEAD}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"mee\r\n`],
    ['headers', HEAD],
  ])('gets 408 within %s', async (_where, text) => {
    const answer = await answerTo(text)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(answer).toContain('{"message":"The request took too long to arrive. Send it again."}')
  })

  test('is disconnected if it sends nothing', async () => {
    await answerTo('')
  })

  test('does not limit a WebSocket or an answer that is read slowly', async () => {
    const webSocket = new WebSocket(`${service.url.replace('http', 'ws')}/room/slow/socket`)
    await new Promise((resolve) => webSocket.addEventListener('open', resolve))
    const reader = (await fetch(`${service.url}/docs/js/scalar.js`)).body?.getReader()
    let bytes = (await reader?.read())?.value?.length ?? 0

    expect(await answerTo(HEAD)).toContain('408')

    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) bytes += part.value.length
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(webSocket.readyState).toBe(WebSocket.OPEN)
    webSocket.close()
  })
})

test('refuses further connections of an address with 512 idle ones, and serves other addresses', async () => {
  const service = await startTestService()
  const sockets: Socket[] = []
  try {
    expect((await service.api('GET', '/api/v1/bots')).status).toBe(200)
    const states = { connected: 0, closed: 0 }
    const port = Number(new URL(service.url).port)
    for (let count = 0; count < 520; count++) {
      const socket = connect(port, '127.0.0.1', () => {
        states.connected += 1
      })
      sockets.push(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          states.closed += 1
        })
    }
    await until('all have tried', () => states.connected === 520, 20_000)
    await until('those over the limit are closed', () => states.closed === 8, 20_000)
    expect((await service.api('GET', '/api/v1/bots')).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await until(
      'a new connection is served',
      async () => (await clientOf(service.url, API_KEY)('GET', '/api/v1/bots')).status === 200,
      20_000,
    )
  } finally {
    for (const socket of sockets) socket.destroy()
    await service.stop()
  }
})

describe('an address that fails to authenticate', () => {
  const MOST = 5
  let service: TestService
  beforeEach(async () => {
    service = await startTestService({ AUTH_FAILURES_PER_MINUTE: `${MOST}` })
  })
  afterEach(() => service.stop())

  const wrong = () => clientOf(service.url, 'a-key-that-is-nobody-s')

  test.each([
    ['/api/v1/bots', 'a wrong key', 'Token wrong', 403],
    ['/calendar/scheduled', 'no key', '', 401],
    ['/admin/v1/workspaces', 'a wrong token', 'Token wrong', 403],
    ['/api/v1/bots', 'a malformed header', 'Bearer x', 403],
  ])('gets 429 from %s with %s after the limit', async (path, _what, authorization, refused) => {
    const ask = () => clientOf(service.url, null)('GET', path, undefined, authorization ? { authorization } : {})
    for (let count = 0; count < MOST; count++) expect((await ask()).status).toBe(refused)
    const { status, body, headers } = await ask()
    expect(status).toBe(429)
    expect(body.message).toMatch(/^Too many requests without a valid API key from this address\./)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  test('is still served with a valid key, also with a new one', async () => {
    const stranger = await service.stranger()
    const answers = await Promise.all(Array.from({ length: 60 }, () => wrong()('GET', '/api/v1/bots')))
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(MOST)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - MOST)
    expect((await wrong()('GET', '/admin/v1/workspaces')).status).toBe(429)
    expect((await stranger('GET', '/api/v1/bots')).status).toBe(200)
    expect((await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })).status).toBe(201)
    expect((await clientOf(service.url, ADMIN_TOKEN)('GET', '/admin/v1/workspaces')).status).toBe(200)
  })

  test('keeps its address whatever its headers say without TRUST_PROXY', async () => {
    const asked = (address: string) => wrong()('GET', '/api/v1/bots', undefined, { 'x-forwarded-for': address })
    for (let count = 0; count < MOST; count++) expect((await asked(`198.51.100.${count}`)).status).toBe(403)
    expect((await asked('198.51.100.99')).status).toBe(429)
  })
})

describe('behind a proxy', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startTestService({ AUTH_FAILURES_PER_MINUTE: '2', TRUST_PROXY: 'true' })
  })
  afterEach(() => service.stop())

  const asked = async (forwarded: string) => {
    const answer = await clientOf(service.url, 'wrong')('GET', '/api/v1/bots', undefined, { 'x-forwarded-for': forwarded })
    return answer.status
  }

  test('counts the address that the proxy saw, not one that the client claims', async () => {
    expect(await asked('203.0.113.1')).toBe(403)
    expect(await asked('198.51.100.7, 203.0.113.1')).toBe(403)
    expect(await asked('198.51.100.8, 203.0.113.1')).toBe(429)
    expect(await asked('203.0.113.1, 203.0.113.2')).toBe(403)
  })

  test('counts an IPv6 /64 as one address', async () => {
    expect(await asked('2001:db8:1:2::1')).toBe(403)
    expect(await asked('2001:db8:1:2:ffff::2')).toBe(403)
    expect(await asked('2001:db8:1:2::3')).toBe(429)
    expect(await asked('2001:db8:1:3::1')).toBe(403)
  })
})
