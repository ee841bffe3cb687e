import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type LiveServer, startLiveServer } from '../../test/helpers/callers/live-server.ts'
import { until } from '../../test/helpers/until.ts'
import { openSocket, type Socket, type SocketOptions } from './reconnecting-socket.ts'

const READY = { type: 'ready' }
const FRAME = Buffer.alloc(2_000, 1)
const QUICK = { firstMs: 5, longestMs: 20 }
const started: (Socket | { close(): Promise<void> })[] = []

afterEach(async () => {
  for (const it of started.splice(0).reverse()) await ('end' in it ? it.end() : it.close())
})

async function server(options: Parameters<typeof startLiveServer>[0] = {}): Promise<LiveServer> {
  const it = await startLiveServer(options)
  started.push(it)
  return it
}

function socketTo(url: string, more: Partial<SocketOptions> = {}) {
  const problems: string[] = []
  const socket = openSocket({
    url,
    allowPrivate: true,
    hello: () => JSON.stringify(READY),
    onProblem: (message) => problems.push(message),
    retry: QUICK,
    ...more,
  })
  started.push(socket)
  return { socket, problems }
}

describe('a connection', () => {
  test('starts with the hello, also after a reconnect', async () => {
    const { url, connection } = await server()
    const { problems } = socketTo(url)
    const first = await connection(1)
    await until('the hello', () => first.received.length === 1)
    first.reset()
    const second = await connection(2)
    await until('the second hello', () => second.received.length === 1)
    expect([first.received, second.received]).toEqual([[READY], [READY]])
    expect(problems).toEqual([expect.stringMatching(/closed the connection \(1006\)\.$/)])
  })

  test('passes text messages on and ignores binary ones', async () => {
    const { url, connection } = await server()
    const texts: string[] = []
    socketTo(url, { onMessage: (text) => texts.push(text) })
    const { socket } = await connection(1)
    socket.send(Buffer.from('bytes'))
    socket.send('text')
    await until('a text', () => texts.length > 0)
    expect(texts).toEqual(['text'])
  })

  test('is opened again after the server closes it', async () => {
    const { url, connection } = await server()
    const { problems } = socketTo(url)
    const first = await connection(1)
    first.socket.close(1000)
    await connection(2)
    expect(problems).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+ closed the connection \(1000\)\.$/)])
  })

  test('is tried again when the server does not answer', async () => {
    const { url, connection, attempts } = await server({ door: (attempt) => (attempt < 3 ? 'silence' : 'open') })
    const { problems } = socketTo(url, { timing: { connectMs: 500 } })
    const open = await connection(1)
    await until('the hello', () => open.received.length === 1)
    expect(attempts()).toBe(3)
    expect(problems).toEqual([expect.stringMatching(/did not answer within 500 ms\.$/)])
  })

  test('is closed when the server answers no pings', async () => {
    const { url, connection } = await server({ autoPong: false })
    const { problems } = socketTo(url, { timing: { pingMs: 30 } })
    await connection(2)
    expect(problems[0]).toMatch(/silent for too long/)
  })

  test('stays open when the server answers only pings', async () => {
    const { url, connection, attempts } = await server()
    socketTo(url, { timing: { pingMs: 200 } })
    const { socket } = await connection(1)
    let pings = 0
    socket.on('ping', () => pings++)
    await until('four pings', () => pings >= 4)
    expect(attempts()).toBe(1)
  })

  test('answers pings', async () => {
    const { url, connection } = await server()
    socketTo(url)
    const { socket } = await connection(1)
    const pongs: string[] = []
    socket.on('pong', (data) => pongs.push(data.toString()))
    socket.ping('here?')
    await until('a pong', () => pongs.length > 0)
    expect(pongs).toEqual(['here?'])
  })

  test('is retried with exponential backoff, and reports a repeated reason once', async () => {
    const { url, connection, attempts } = await server({ door: (attempt) => (attempt < 7 ? { status: 503, location: '' } : 'open') })
    const startedMs = performance.now()
    const { problems } = socketTo(url, { random: () => 1, retry: { firstMs: 10, longestMs: 80 } })
    await connection(1)
    // 10 + 20 + 40 + 80 + 80 + 80; a timer is never early by more than its rounding.
    expect(performance.now() - startedMs).toBeGreaterThan(300)
    expect(attempts()).toBe(7)
    expect(problems).toHaveLength(1)
  })

  test('is closed with code 1000 by end, and not opened again', async () => {
    const { url, connection, attempts } = await server()
    const { socket } = socketTo(url)
    const first = await connection(1)
    const closed = new Promise((resolve) => first.socket.once('close', resolve))
    socket.send(FRAME)
    await socket.end()
    expect(await closed).toBe(1000)
    expect(first.frames).toHaveLength(1)
    expect(socket.send(FRAME)).toBe(false)
    expect(attempts()).toBe(1)
  })

  test('ends before it is open', async () => {
    const { url, attempts } = await server({ door: () => 'silence' })
    const { socket } = socketTo(url)
    await until('an attempt', () => attempts() === 1)
    const startedMs = performance.now()
    await socket.end()
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })
})

describe('a frame that cannot be sent', () => {
  test('is counted, and reported as a gap before the next frame', async () => {
    const { url, connection } = await server()
    let nowMs = Date.parse('2026-01-01T00:00:00.000Z')
    const { socket, problems } = socketTo(url, { frameMs: 20, now: () => nowMs, retry: { firstMs: 300, longestMs: 300 } })
    expect(socket.send(FRAME)).toBe(false)
    const first = await connection(1)
    await until('the hello', () => first.received.length === 1)
    nowMs += 1_000
    expect(socket.send('one')).toBe(true)
    expect(socket.send('two')).toBe(true)
    await until('both', () => first.received.length === 4)
    const early = { type: 'gap', frames: 1, milliseconds: 20, from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.020Z' }
    expect(first.received).toEqual([READY, early, 'one', 'two'])

    first.reset()
    await until('the loss is noticed', () => problems.length > 0)
    for (let frame = 0; frame < 5; frame++, nowMs += 20) expect(socket.send(FRAME)).toBe(false)
    const second = await connection(2)
    await until('the hello', () => second.received.length === 1)
    nowMs += 1_000
    expect(socket.send(FRAME)).toBe(true)
    await until('a frame', () => second.frames.length === 1)
    const late = { type: 'gap', frames: 5, milliseconds: 100, from: '2026-01-01T00:00:01.000Z', to: '2026-01-01T00:00:01.100Z' }
    expect(second.received).toEqual([READY, late, FRAME])
  })

  test('is reported as a gap at the end, on an open connection', async () => {
    const { url, connection } = await server()
    const { socket } = socketTo(url)
    socket.send('too early')
    const { received } = await connection(1)
    await until('the hello', () => received.length === 1)
    await socket.end()
    expect(received).toEqual([READY, expect.objectContaining({ type: 'gap', frames: 1 })])
  })

  test('is dropped at once, within bounded memory, and counted if the receiver does not read', async () => {
    const { url, connection } = await server()
    const { socket, problems } = socketTo(url)
    const { socket: peer, received, frames } = await connection(1)
    await until('the hello', () => received.length === 1)
    peer.pause()
    const count = 15_000
    let mostWaiting = 0
    let sendingMs = 0
    let dropped = 0
    for (let sent = 0; sent < count; sent++) {
      const startedMs = performance.now()
      if (!socket.send(FRAME)) dropped++
      sendingMs += performance.now() - startedMs
      mostWaiting = Math.max(mostWaiting, socket.waitingBytes())
      if (sent % 500 === 0) await setImmediate()
    }
    expect(dropped).toBeGreaterThan(1_000)
    expect(mostWaiting).toBeLessThan(1024 * 1024 + 2 * FRAME.length)
    expect(sendingMs / count).toBeLessThan(1)
    expect(problems).toEqual([expect.stringMatching(/reads too slowly/)])

    peer.resume()
    await until('the socket is drained', () => socket.waitingBytes() === 0)
    expect(socket.send(FRAME)).toBe(true)
    await until('the last frame', () => frames.length === count - dropped + 1)
    expect(received.at(-2)).toMatchObject({ type: 'gap', frames: dropped })
    expect(received.filter((it) => !Buffer.isBuffer(it))).toHaveLength(2)
  })

  test('is counted if its connection breaks later', async () => {
    const { url, connection } = await server()
    const { socket, problems } = socketTo(url)
    const first = await connection(1)
    await until('the hello', () => first.received.length === 1)
    first.socket.pause()
    let dropped = 0
    for (let sent = 0; dropped === 0; sent++) {
      if (!socket.send(FRAME)) dropped++
      if (sent % 500 === 0) await setImmediate()
    }
    const waitingFrames = Math.floor(socket.waitingBytes() / (FRAME.length + 20))
    expect(waitingFrames).toBeGreaterThan(400)
    first.reset()
    await until('the loss is noticed', () => problems.length > 1)
    const second = await connection(2)
    await until('the hello', () => second.received.length === 1)
    expect(socket.send(FRAME)).toBe(true)
    await until('the gap and the frame', () => second.received.length === 3)
    const { frames } = second.received[1] as { frames: number }
    expect(frames).toBeGreaterThanOrEqual(dropped + waitingFrames)
  })
})
