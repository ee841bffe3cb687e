// The way out against real servers on loopback: limits, cuts, bounded memory, and addresses that stay unreachable.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createOutgoing, type Outgoing, OutgoingError } from './outgoing.ts'

const cleanups: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function wayOut(options: Partial<Parameters<typeof createOutgoing>[0]> = {}): Outgoing {
  const outgoing = createOutgoing({ allowPrivate: true, timeoutMs: 5_000, ...options })
  cleanups.push(() => outgoing.close())
  return outgoing
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

const failureOf = (work: Promise<unknown>): Promise<OutgoingError> =>
  work.then(
    () => expect.unreachable('an answer came'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(OutgoingError)
      return error as OutgoingError
    },
  )

const BODY = { body: '{"a":1}', headers: { 'content-type': 'application/json' } }

describe('answers', () => {
  test('a post sends its body and headers, and tells status, head and duration', async () => {
    const seen: unknown[] = []
    const { url } = await serve(async (incoming, answer) => {
      seen.push(incoming.method, incoming.headers['content-type'], Buffer.concat(await incoming.toArray()).toString())
      answer.writeHead(201).end('thanks')
    })
    const answer = await wayOut().post(url, { ...BODY, body: Buffer.from('{"ü":1}') })
    expect(seen).toEqual(['POST', 'application/json', '{"ü":1}'])
    expect(answer).toEqual({ status: 201, head: 'thanks', durationMs: expect.any(Number) })
  })

  test('a post whose answer is wanted brings all of it, up to a limit', async () => {
    const { url } = await serve(async (incoming, answer) =>
      answer.end(`${incoming.method} ${await incoming.toArray()} `.padEnd(2_000, 'x')),
    )
    const answer = await wayOut().postAndRead(url, { ...BODY, maxBytes: 2_000 })
    expect(answer).toMatchObject({ status: 200, truncated: false, head: `POST ${BODY.body} `.padEnd(500, 'x') })
    expect(answer.body.toString()).toBe(`POST ${BODY.body} `.padEnd(2_000, 'x'))
    expect(await wayOut().postAndRead(url, { ...BODY, maxBytes: 10 })).toMatchObject({ truncated: true, body: Buffer.from('POST {"a":') })
  })

  test('a query is added to the URL’s own, which stays as it is written', async () => {
    const { url } = await serve((incoming, answer) => answer.end(incoming.url))
    const ask = { maxBytes: 100, query: { number: '1', word: 'a b' } }
    expect((await wayOut().get(url, ask)).head).toBe('/?number=1&word=a+b')
    expect((await wayOut().get(`${url}?x=%20y+z#part`, ask)).head).toBe('/?x=%20y+z&number=1&word=a+b')
  })

  test('a redirect is an answer and is not followed', async () => {
    const paths: unknown[] = []
    const { url } = await serve((incoming, answer) => {
      paths.push(incoming.url)
      answer.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect(await wayOut().post(url, BODY)).toMatchObject({ status: 302, head: '' })
    expect(await wayOut().get(url, { maxBytes: 10 })).toMatchObject({ status: 302 })
    expect(paths).toEqual(['/', '/'])
  })

  test('only 500 bytes of an answer are kept, and no half character', async () => {
    const { url } = await serve((_, answer) => answer.end(`a${'ü'.repeat(1_000)}`))
    expect((await wayOut().post(url, BODY)).head).toBe(`a${'ü'.repeat(249)}`)
  })

  test('an endless answer is cut off, and its connection with it', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serve((_, answer) => {
      const more = () => {
        while (!answer.destroyed && answer.write('x'.repeat(16_384)));
      }
      answer.on('drain', more).on('close', closed.resolve)
      more()
    })
    expect(await wayOut().post(url, BODY)).toMatchObject({ status: 200, head: 'x'.repeat(500) })
    await closed.promise
  })

  test('a connection is used again after an answer longer than its head', async () => {
    const ports = new Set<unknown>()
    const { url } = await serve((incoming, answer) => {
      ports.add(incoming.socket.remotePort)
      answer.write('x'.repeat(5_000), () => setTimeout(() => answer.end('x'.repeat(5_000)), 30))
    })
    const outgoing = wayOut({ connectionsPerOrigin: 1 })
    await outgoing.post(url, BODY)
    await outgoing.post(url, BODY)
    expect(ports.size).toBe(1)
  })

  test('a get brings the body up to its limit and says whether there was more', async () => {
    const { url } = await serve((_, answer) => answer.writeHead(200, { 'content-type': 'text/plain' }).end('0123456789'))
    const outgoing = wayOut()
    const whole = await outgoing.get(url, { maxBytes: 10 })
    expect(whole).toMatchObject({ status: 200, head: '0123456789', contentType: 'text/plain', truncated: false })
    expect(whole.body.toString()).toBe('0123456789')
    const part = await outgoing.get(url, { maxBytes: 4 })
    expect([part.body.toString(), part.truncated]).toEqual(['0123', true])
  })
})

describe('no answer', () => {
  test('silence after the request is cut at the limit', async () => {
    const { url } = await serve(() => undefined)
    const error = await failureOf(wayOut().post(url, { ...BODY, timeoutMs: 60 }))
    expect(error).toMatchObject({ reason: 'timeout', status: null, message: expect.stringContaining('did not answer within 60 ms') })
  })

  test.each([
    ['hangs after its headers', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')],
    ['drips its body', (socket: Socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n')],
  ])('a receiver that %s is cut at the limit', async (_, behave) => {
    const { url } = await serveRaw((socket) => socket.once('data', () => behave(socket)))
    expect(await failureOf(wayOut().post(url, { ...BODY, timeoutMs: 100 }))).toMatchObject({ reason: 'timeout', status: 200 })
    expect(await failureOf(wayOut().get(url, { maxBytes: 9, timeoutMs: 100 }))).toMatchObject({ reason: 'timeout', status: 200 })
  })

  test('a receiver that drips its headers is cut at the limit', async () => {
    const { url } = await serveRaw((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: '))
    expect(await failureOf(wayOut().post(url, { ...BODY, timeoutMs: 100 }))).toMatchObject({ reason: 'timeout', status: null })
  })

  test('the limit also holds while a request waits for a connection, and it is then never sent', async () => {
    const bodies: string[] = []
    const { url } = await serve(async (incoming) => bodies.push(Buffer.concat(await incoming.toArray()).toString()))
    const outgoing = wayOut({ connectionsPerOrigin: 1 })
    const first = failureOf(outgoing.post(url, { ...BODY, body: 'first', timeoutMs: 150 }))
    const second = failureOf(outgoing.post(url, { ...BODY, body: 'second', timeoutMs: 50 }))
    const order = [second.then(() => 'second'), first.then(() => 'first')]
    expect(await Promise.race(order)).toBe('second')
    await Promise.all(order)
    expect(bodies).toEqual(['first'])
  })

  test('the limit holds while a name is looked up', async () => {
    const outgoing = createOutgoing({ allowPrivate: false, timeoutMs: 50, lookup: () => new Promise(() => undefined) })
    expect(await failureOf(outgoing.post('http://silent.example/', BODY))).toMatchObject({ reason: 'timeout' })
  })

  test('a closed port is refused', async () => {
    const { server, url } = await serve(() => undefined)
    server.close()
    expect(await failureOf(wayOut().post(url, BODY))).toMatchObject({ reason: 'refused', cause: expect.any(Error) })
  })

  test.each([
    ['a receiver that hangs up', (socket: Socket) => socket.destroy()],
    ['a receiver that resets', (socket: Socket) => socket.resetAndDestroy()],
    ['a receiver that speaks no HTTP', (socket: Socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['an answer that ends early', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab')],
  ])('%s is a reset', async (_, behave) => {
    const { url } = await serveRaw((socket) => socket.once('data', () => behave(socket)))
    expect(await failureOf(wayOut().post(url, BODY))).toMatchObject({ reason: 'reset' })
  })

  test('a server without TLS is a matter of tls', async () => {
    const { port } = await serve((_, answer) => answer.end())
    expect(await failureOf(wayOut().post(`https://127.0.0.1:${port}/`, BODY))).toMatchObject({ reason: 'tls' })
  })

  test('a name that nobody knows is a matter of dns', async () => {
    const unknown = wayOut({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await failureOf(unknown.post('http://nobody.example/', BODY))).toMatchObject({ reason: 'dns', cause: expect.any(Error) })
    const empty = wayOut({ lookup: async () => [] })
    expect(await failureOf(empty.post('http://nobody.example/', BODY))).toMatchObject({ reason: 'dns' })
  })

  test.each(['', 'nonsense', 'ftp://a.example/', 'http://user:pw@a.example/', 'http://', `http://a.example/${'a'.repeat(4096)}`])(
    '%s is a bad URL',
    async (url) => {
      expect(await failureOf(wayOut().post(url, BODY))).toMatchObject({
        reason: 'bad_url',
        message: expect.stringMatching(/^The URL must/),
      })
    },
  )

  test('who asked can give up, and hears the own reason', async () => {
    const arrived = Promise.withResolvers<void>()
    const { url } = await serve(() => arrived.resolve())
    const caller = new AbortController()
    const work = wayOut().post(url, { ...BODY, signal: caller.signal })
    await arrived.promise
    caller.abort(new Error('shutting down'))
    await expect(work).rejects.toThrow('shutting down')
    const later = wayOut()
    await expect(later.post(url, { ...BODY, signal: caller.signal })).rejects.toThrow('shutting down')
    expect(later.openOrigins()).toBe(0)
  })
})

function drip(socket: Socket, start: string): void {
  socket.write(start)
  const timer = setInterval(() => socket.write('x'), 10)
  socket.on('close', () => clearInterval(timer))
}
