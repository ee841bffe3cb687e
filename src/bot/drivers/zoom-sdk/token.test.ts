// Token servers on loopback that are right, wrong, slow, redirecting, huge or private.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { BotId } from '../../../domain/bot.ts'
import { createHttpClient, type HttpClient, NetworkError } from '../../../kit/http-client.ts'
import { fetchToken } from './token.ts'

const ZAK = `eyJhbGciOiJIUzI1NiJ9.${'a-_'.repeat(600)}.c2lnbmF0dXJl`
const NEVER = new AbortController().signal
const BOT = 'bot_1' as BotId

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Seen = { readonly method: string; readonly url: string; readonly botId: unknown; readonly type: unknown; readonly body: string }
type Reply = (answer: ServerResponse, request: IncomingMessage) => unknown

/** A server with these answers in order, and the requests that it received. */
async function tokenServer(...replies: Reply[]): Promise<{ url: string; host: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer(async (request, answer) => {
    const body = Buffer.concat(await request.toArray()).toString()
    const { method = '', url = '', headers } = request
    seen.push({ method, url, botId: headers['x-bot-id'], type: headers['content-type'], body })
    const reply = replies[seen.length - 1]
    if (reply) reply(answer, request)
    else answer.writeHead(418).end('one request too many')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `http://${host}/token`, host, seen }
}

const says =
  (status: number, body = ''): Reply =>
  (answer) =>
    answer.writeHead(status).end(body)

function client(allowPrivate = true): HttpClient {
  const http = createHttpClient({ allowPrivate })
  cleanups.push(() => http.close())
  return http
}

type Change = Partial<Parameters<typeof fetchToken>[1]>

const fetchFrom = (url: string, change: Change = {}, http = client()) =>
  fetchToken({ http, botId: BOT }, { kind: 'zak', url, meetingNumber: '81234567890', signal: NEVER, ...change })

const failed = (message: string | RegExp) => ({
  kind: 'failed',
  reason: 'TokenFetchFailed',
  message: message instanceof RegExp ? expect.stringMatching(message) : message,
})

describe('a token', () => {
  test.each([
    ['text', ZAK],
    ['text with white space around it', ` ${ZAK}\n`],
    ['a JSON string', JSON.stringify(ZAK)],
    ['a field token', JSON.stringify({ token: ZAK })],
    ['a field zak', JSON.stringify({ zak: ZAK, expires_in: 7200 })],
    ['a list', JSON.stringify([ZAK, ZAK])],
    ['a field obf', JSON.stringify({ user: 'me', obf: ZAK })],
  ])('is read as %s', async (_, body) => {
    const { url, seen } = await tokenServer(says(200, body))
    expect(await fetchFrom(url)).toEqual({ kind: 'tokens', tokens: [ZAK] })
    expect(seen).toEqual([{ method: 'GET', url: '/token', botId: BOT, type: undefined, body: '' }])
  })

  test('is one of several in a list of users', async () => {
    const [ann, ben] = [`${ZAK}ann`, `${ZAK}ben`]
    const { url } = await tokenServer(says(200, JSON.stringify({ tokens: [ann, ben] })))
    expect(await fetchFrom(url, { kind: 'obf' })).toEqual({ kind: 'tokens', tokens: [ann, ben] })
  })

  test('is requested with meeting_number appended to the unchanged query for the kind OBF', async () => {
    const { url, seen } = await tokenServer(says(200, ZAK))
    expect(await fetchFrom(`${url}?key=a%20b+c%2Fd`, { kind: 'obf' })).toEqual({ kind: 'tokens', tokens: [ZAK] })
    expect(seen.map((it) => it.url)).toEqual(['/token?key=a%20b+c%2Fd&meeting_number=81234567890'])
  })

  test('is fetched from a URL of the greatest length', async () => {
    const { url } = await tokenServer(says(200, ZAK))
    const long = `${url}?a=`.padEnd(4096, 'x')
    expect(await fetchFrom(long, { kind: 'obf' })).toEqual({ kind: 'tokens', tokens: [ZAK] })
  })

  test.each([
    ['HTTP 405', says(405)],
    ['HTTP 404, as from a server that knows only POST', says(404, 'Cannot GET /token')],
    ['an empty body', says(200)],
    ['a page', says(200, '<!doctype html><title>Sign in</title>')],
    ['JSON without a token', says(200, '{"ok":true}')],
    ['JSON with an empty token', says(200, '{"token":""}')],
    ['null', says(200, 'null')],
    ['an empty list', says(200, '{"tokens":[]}')],
    ['a list with something else', says(200, JSON.stringify([ZAK, null]))],
    ['an invalid token', says(200, '{"token":"no such user"}')],
  ])('is requested by one POST after a GET is answered with %s', async (_, first) => {
    const { url, seen } = await tokenServer(first, says(200, JSON.stringify({ token: ZAK })))
    expect(await fetchFrom(url, { kind: 'obf' })).toEqual({ kind: 'tokens', tokens: [ZAK] })
    const body = JSON.stringify({ bot_id: BOT, meeting_number: '81234567890' })
    expect(seen[1]).toEqual({ method: 'POST', url: '/token', botId: BOT, type: 'application/json', body })
  })

  test('is requested without meeting_number for the kind ZAK', async () => {
    const { url, seen } = await tokenServer(says(405), says(200, ZAK))
    expect(await fetchFrom(`${url}?user=me`)).toEqual({ kind: 'tokens', tokens: [ZAK] })
    expect(seen.map(({ body, url: path }) => [path, body])).toEqual([
      ['/token?user=me', ''],
      ['/token?user=me', JSON.stringify({ bot_id: BOT })],
    ])
  })
})

describe('a token that cannot be fetched', () => {
  test('is requested once if the answer is HTTP 400', async () => {
    const { url, host, seen } = await tokenServer(says(400, 'The user has\n revoked\u0000 the app'), says(200, ZAK))
    expect(await fetchFrom(url)).toEqual(
      failed(
        `The ZAK token could not be fetched: ${host} answered with HTTP 400: The user has revoked the app. Check the server behind zak_url`,
      ),
    )
    expect(seen).toHaveLength(1)
  })

  test.each<[string, Reply, RegExp]>([
    ['an error', says(500, 'out of order'), /answered with HTTP 500: out of order\. Check the server behind obf_url$/],
    ['a redirect', (answer) => answer.writeHead(302, { location: '/other' }).end(), /with a redirect \(HTTP 302\), which is not followed/],
    ['a huge answer', (answer) => answer.end('x'.repeat(1_000_000)), /with more than 16 KB/],
    ['an answer without a token', says(200, 'Hello, world'), /no token: neither as text nor in a field token, zak, obf, tokens/],
    ['a broken connection', (answer) => answer.destroy(), /broke off the exchange/],
  ])('is requested by a GET and a POST, and not again after %s', async (_, reply, message) => {
    const { url, seen } = await tokenServer(says(405), reply)
    expect(await fetchFrom(url, { kind: 'obf' })).toEqual(failed(message))
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })

  test('is given up if the server does not answer', async () => {
    const { url, host } = await tokenServer(() => undefined)
    const message = `The ZAK token could not be fetched within 1 seconds: ${host} did not answer in time. Check the server behind zak_url`
    expect(await fetchFrom(url, { withinMs: 1_000 })).toEqual(failed(message))
  })

  test('is given up if the body arrives too slowly', async () => {
    const { url } = await tokenServer((answer) => {
      const timer = setInterval(() => answer.write('a'), 20)
      answer.on('close', () => clearInterval(timer))
    })
    expect(await fetchFrom(url, { withinMs: 500 })).toEqual(failed(/did not answer in time/))
  })

  test('is given up after 15 seconds in all: the POST has the time that the GET left', async () => {
    const limits: number[] = []
    const notAllowed = {
      status: 405,
      head: '',
      body: Buffer.alloc(0),
      truncated: false,
      contentType: null,
      retryAfter: null,
      durationMs: 0,
    }
    const http: HttpClient = {
      ...client(),
      async request(_, { timeoutMs = 0, body }) {
        limits.push(timeoutMs)
        if (body) throw new NetworkError('timeout', 'late')
        // On the same clock as the limit.
        const until = performance.now() + 20
        while (performance.now() < until);
        return notAllowed
      },
    }
    const message = /^The ZAK token could not be fetched within 15 seconds: tokens\.example did not answer in time/
    expect(await fetchFrom('https://tokens.example/zak', {}, http)).toEqual(failed(message))
    const [first = 0, second = 0] = limits
    expect(Math.round(first / 1000)).toBe(15)
    expect(second).toBeLessThanOrEqual(first - 20)
  })

  test.each(['http://127.0.0.1:1/zak', 'http://169.254.169.254/zak', 'http://[::1]/zak', 'http://10.0.0.1/zak'])(
    'is not requested from the private address %s',
    async (url) => {
      expect(await fetchFrom(url, {}, client(false))).toEqual(failed(/could not be fetched: .* is not a public address/))
    },
  )

  test('is given up if no server listens', async () => {
    const { url } = await tokenServer()
    await cleanups.pop()?.()
    expect(await fetchFrom(url)).toEqual(failed(/refused the connection/))
  })

  test('is given up once the bot is removed', async () => {
    const leave = new AbortController()
    const { url } = await tokenServer(() => leave.abort(new Error('told to leave')))
    await expect(fetchFrom(url, { signal: leave.signal })).rejects.toThrow('told to leave')
  })
})
