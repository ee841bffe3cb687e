// The HTTP client against real servers on loopback: timeouts, truncated bodies and errors.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttpClient, type HttpClient, NetworkError } from './http-client.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function client(options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient {
  const http = createHttpClient({ allowPrivate: true, timeoutMs: 5_000, ...options })
  cleanups.push(() => http.close())
  return http
}

async function open<Kind extends Server | TcpServer>(server: Kind): Promise<{ server: Kind; port: number; url: string }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  cleanups.push(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return { server, port, url: `http://127.0.0.1:${port}/` }
}

const serve = (listener: RequestListener) => open(createServer(listener))

function serveRaw(onSocket: (socket: Socket) => void) {
  return open(
    createTcpServer((socket) => {
      cleanups.push(() => socket.destroy())
      onSocket(socket.on('error', () => undefined))
    }),
  )
}

const failureOf = (work: Promise<unknown>): Promise<NetworkError> =>
  work.then(
    () => expect.unreachable('an answer came'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(NetworkError)
      return error as NetworkError
    },
  )

const BODY = { body: '{"a":1}', headers: { 'content-type': 'application/json' } }

describe('responses', () => {
  test('sends body and headers with post, and returns status, head and duration', async () => {
    const seen: unknown[] = []
    const { url } = await serve(async (incoming, answer) => {
      seen.push(incoming.method, incoming.headers['content-type'], Buffer.concat(await incoming.toArray()).toString())
      answer.writeHead(201).end('thanks')
    })
    const answer = await client().post(url, { ...BODY, body: Buffer.from('{"ü":1}') })
    expect(seen).toEqual(['POST', 'application/json', '{"ü":1}'])
    expect(answer).toEqual({ status: 201, head: 'thanks', durationMs: expect.any(Number) })
  })

  test('returns the body with request, up to maxBytes', async () => {
    const { url } = await serve(async (incoming, answer) =>
      answer.end(`${incoming.method} ${await incoming.toArray()} `.padEnd(2_000, 'x')),
    )
    const answer = await client().request(url, { ...BODY, maxBytes: 2_000 })
    expect(answer).toMatchObject({ status: 200, truncated: false, head: `POST ${BODY.body} `.padEnd(500, 'x') })
    expect(answer.body.toString()).toBe(`POST ${BODY.body} `.padEnd(2_000, 'x'))
    expect(await client().request(url, { ...BODY, maxBytes: 10 })).toMatchObject({ truncated: true, body: Buffer.from('POST {"a":') })
  })

  test('appends a query without changing the URL’s own', async () => {
    const { url } = await serve((incoming, answer) => answer.end(incoming.url))
    const ask = { maxBytes: 100, query: { number: '1', word: 'a b' } }
    expect((await client().request(url, ask)).head).toBe('/?number=1&word=a+b')
    expect((await client().request(`${url}?x=%20y+z#part`, ask)).head).toBe('/?x=%20y+z&number=1&word=a+b')
  })

  test('returns a redirect without following it', async () => {
    const paths: unknown[] = []
    const { url } = await serve((incoming, answer) => {
      paths.push(incoming.url)
      answer.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect(await client().post(url, BODY)).toMatchObject({ status: 302, head: '' })
    expect(await client().request(url, { maxBytes: 10 })).toMatchObject({ status: 302 })
    expect(paths).toEqual(['/', '/'])
  })

  test('keeps 500 bytes of a response to post, and no half character', async () => {
    const { url } = await serve((_, answer) => answer.end(`a${'ü'.repeat(1_000)}`))
    expect((await client().post(url, BODY)).head).toBe(`a${'ü'.repeat(249)}`)
  })

  test('stops reading an endless response and closes its connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serve((_, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write('x'.repeat(16_384)));
      }
      answer.on('drain', more).on('close', closed.resolve)
      more()
    })
    expect(await client().post(url, BODY)).toMatchObject({ status: 200, head: 'x'.repeat(500) })
    await closed.promise
  })

  test('reuses a connection after a response longer than its head', async () => {
    const ports = new Set<unknown>()
    const { url } = await serve((incoming, answer) => {
      ports.add(incoming.socket.remotePort)
      answer.write('x'.repeat(5_000), () => setTimeout(() => answer.end('x'.repeat(5_000)), 30))
    })
    const http = client({ connectionsPerOrigin: 1 })
    await http.post(url, BODY)
    await http.post(url, BODY)
    expect(ports.size).toBe(1)
  })

  test.each([
    ['never ends its body', '', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')],
    ['drips its body', /^x+$/, (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 500000\r\n\r\n')],
    ['ends its body early', 'ab', (socket: Socket) => socket.end(ENDS_EARLY)],
    ['resets within its body', '', (socket: Socket) => socket.write(ENDS_EARLY, () => socket.resetAndDestroy())],
  ])('returns the status to post when a receiver %s, and closes the connection', async (_, head, behave) => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serveRaw((socket) => socket.on('close', () => closed.resolve()).once('data', () => behave(socket)))
    const answer = await client().post(url, { ...BODY, timeoutMs: 60_000 })
    expect(answer).toEqual({ status: 200, head: expect.stringMatching(head), durationMs: expect.any(Number) })
    expect(answer.durationMs, 'the time until the status').toBeLessThan(900)
    await closed.promise
  })

  test('returns the body with get, up to maxBytes, and says whether it is truncated', async () => {
    const { url } = await serve((_, answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).end('0123456789'))
    const http = client()
    const whole = await http.request(url, { maxBytes: 10 })
    expect(whole).toMatchObject({ status: 200, head: '0123456789', contentType: 'text/plain', truncated: false })
    expect(whole.body.toString()).toBe('0123456789')
    const part = await http.request(url, { maxBytes: 4 })
    expect([part.body.toString(), part.truncated]).toEqual(['0123', true])
  })
})

describe('errors', () => {
  test('times out when the receiver does not answer', async () => {
    const { url } = await serve(() => undefined)
    const error = await failureOf(client().post(url, { ...BODY, timeoutMs: 60 }))
    expect(error).toMatchObject({ reason: 'timeout', status: null, message: expect.stringContaining('did not answer within 60 ms') })
  })

  test.each([
    ['hangs after its headers', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')],
    ['drips its body', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n')],
  ])('times out when a server whose body is wanted %s', async (_, behave) => {
    const { url } = await serveRaw((socket) => socket.once('data', () => behave(socket)))
    expect(await failureOf(client().request(url, { maxBytes: 9, timeoutMs: 100 }))).toMatchObject({ reason: 'timeout', status: 200 })
  })

  test('times out when a receiver drips its headers', async () => {
    const { url } = await serveRaw((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: '))
    expect(await failureOf(client().post(url, { ...BODY, timeoutMs: 100 }))).toMatchObject({ reason: 'timeout', status: null })
  })

  test('times out while a request waits for a connection, and never sends it', async () => {
    const bodies: string[] = []
    const { url } = await serve(async (incoming) => bodies.push(Buffer.concat(await incoming.toArray()).toString()))
    const http = client({ connectionsPerOrigin: 1 })
    const first = failureOf(http.post(url, { ...BODY, body: 'first', timeoutMs: 150 }))
    const second = failureOf(http.post(url, { ...BODY, body: 'second', timeoutMs: 50 }))
    const order = [second.then(() => 'second'), first.then(() => 'first')]
    expect(await Promise.race(order)).toBe('second')
    await Promise.all(order)
    expect(bodies).toEqual(['first'])
  })

  test('times out during a DNS lookup', async () => {
    const http = createHttpClient({ allowPrivate: false, timeoutMs: 50, lookup: () => new Promise(() => undefined) })
    expect(await failureOf(http.post('http://silent.example/', BODY))).toMatchObject({ reason: 'timeout' })
  })

  test('reports a closed port as refused', async () => {
    const { server, url } = await serve(() => undefined)
    server.close()
    expect(await failureOf(client().post(url, BODY))).toMatchObject({ reason: 'refused', cause: expect.any(Error) })
  })

  test.each([
    ['a receiver that hangs up', (socket: Socket) => socket.destroy()],
    ['a receiver that resets', (socket: Socket) => socket.resetAndDestroy()],
    ['a receiver that speaks no HTTP', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n')],
  ])('reports %s as a reset', async (_, behave) => {
    const { url } = await serveRaw((socket) => socket.once('data', () => behave(socket)))
    expect(await failureOf(client().post(url, BODY))).toMatchObject({ reason: 'reset' })
  })

  test('reports a body that ends early as a reset where the body is wanted', async () => {
    const { url } = await serveRaw((socket) => socket.once('data', () => socket.end(ENDS_EARLY)))
    expect(await failureOf(client().request(url, { maxBytes: 9 }))).toMatchObject({ reason: 'reset' })
  })

  test('reports a server without TLS as tls', async () => {
    const { port } = await serve((_, answer) => answer.end())
    expect(await failureOf(client().post(`https://127.0.0.1:${port}/`, BODY))).toMatchObject({ reason: 'tls' })
  })

  test('reports an unknown host name as dns', async () => {
    const unknown = client({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await failureOf(unknown.post('http://nobody.example/', BODY))).toMatchObject({ reason: 'dns', cause: expect.any(Error) })
    const empty = client({ lookup: async () => [] })
    expect(await failureOf(empty.post('http://nobody.example/', BODY))).toMatchObject({ reason: 'dns' })
  })

  test.each(['', 'nonsense', 'ftp://a.example/', 'http://user:pw@a.example/', 'http://', `http://a.example/${'a'.repeat(4096)}`])(
    'reports %s as a bad URL',
    async (url) => {
      expect(await failureOf(client().post(url, BODY))).toMatchObject({
        reason: 'bad_url',
        message: expect.stringMatching(/^The URL must/),
      })
    },
  )

  test('rejects with the abort reason of the caller', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url } = await serve(() => arrived.resolve())
    const caller = new AbortController()
    const work = client().post(url, { ...BODY, signal: caller.signal })
    await arrived.promise
    caller.abort(new Error('shutting down'))
    await expect(work).rejects.toThrow('shutting down')
    const later = client()
    await expect(later.post(url, { ...BODY, signal: caller.signal })).rejects.toThrow('shutting down')
    expect(later.openOrigins()).toBe(0)
  })
})

const ENDS_EARLY = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab'

function drip(socket: Socket, start: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write('x'), 10)
  socket.on('close', () => clearInterval(timer))
}
