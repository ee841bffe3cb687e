import { afterEach, describe, expect, test } from 'vitest'
import { startLiveServer } from '../../test/helpers/callers/live-server.ts'
import { until } from '../../test/helpers/until.ts'
import { openSocket, type SocketOptions } from './reconnecting-socket.ts'

const READY = { type: 'ready' }
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function connected(options: Partial<SocketOptions>, serverOptions: Parameters<typeof startLiveServer>[0] = {}) {
  const server = await startLiveServer(serverOptions)
  const retry = { firstMs: 5, longestMs: 20 }
  const socket = openSocket({ url: server.url, allowPrivate: true, hello: () => JSON.stringify(READY), retry, ...options })
  stops.push(server.close, () => socket.end())
  return { ...server, socket }
}

describe('a connection whose peer stops answering', () => {
  test('is replaced, and reports the frames since the last sign of life at once', async () => {
    const { socket, connection } = await connected({ timing: { pingMs: 100 } }, { autoPong: false })
    const first = await connection(1)
    await until('the hello', () => first.received.length === 1)
    for (const text of ['one', 'two']) expect(socket.send(text)).toBe(true)
    const second = await connection(2)
    await until('the gap', () => second.received.length === 2)
    expect(second.received).toEqual([READY, expect.objectContaining({ type: 'gap', frames: 2 })])
  })

  test('counts no frame that a pong has followed', async () => {
    const { socket, connection } = await connected({ timing: { pingMs: 100 } }, { autoPong: false })
    const first = await connection(1)
    let pings = 0
    first.socket.on('ping', () => {
      if (++pings === 1) first.socket.pong()
    })
    socket.send('one')
    await until('the ping after the pong', () => pings === 2)
    socket.send('two')
    const second = await connection(2)
    await until('the gap', () => second.received.length === 2)
    expect([first.received, second.received[1]]).toEqual([[READY, 'one', 'two'], expect.objectContaining({ type: 'gap', frames: 1 })])
  })
})

describe('a socket with a buffer', () => {
  test('sends the frames from before the connection in order', async () => {
    const { socket, connection } = await connected({ mostWaiting: 3 })
    for (const text of ['a', 'b', 'c']) expect(socket.send(text)).toBe(true)
    const { received } = await connection(1)
    await until('all', () => received.length === 4)
    expect(received).toEqual([READY, 'a', 'b', 'c'])
  })

  test('drops the oldest frames, and reports them once, before the rest', async () => {
    let nowMs = 0
    const { socket, connection } = await connected({ mostWaiting: 2, now: () => nowMs++ * 1_000 })
    expect(['a', 'b', 'c', 'd'].map((text) => socket.send(text))).toEqual([true, true, false, false])
    const { received } = await connection(1)
    await until('the rest', () => received.length === 4)
    socket.send('e')
    await until('the last', () => received.length === 5)
    const gap = { type: 'gap', frames: 2, milliseconds: 1_000, from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:00:01.000Z' }
    expect(received).toEqual([READY, gap, 'c', 'd', 'e'])
  })

  test('sends the waiting frames before it ends', async () => {
    const { socket, connection } = await connected({ mostWaiting: 1 })
    socket.send('last')
    await socket.end()
    expect((await connection(1)).received).toEqual([READY, 'last'])
  })

  test('ends while the server does not answer', async () => {
    const { socket, attempts } = await connected({ mostWaiting: 1, timing: { closeMs: 50 } }, { door: () => 'silence' })
    socket.send('never')
    await until('an attempt', () => attempts() === 1)
    await socket.end()
    expect(socket.send('more')).toBe(false)
  })
})
