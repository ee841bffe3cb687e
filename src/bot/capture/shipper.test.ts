import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createQueue } from '../../kit/async-queue.ts'
import { decodeBatch } from './batch.ts'
import { Shipper } from './page/shipper.ts'
import { decodeFromPage, encodeControl, type FromPage, type ToPage, type WireFrame } from './wire.ts'

const CONFIG = { token: 'token', batchMs: 20, video: true, encoded: true, fallbackAfterMs: 1_000, wrapWorkers: false, silent: false }
const TRACK = { number: 1, id: 'track', kind: 'audio', codec: '', label: '', streamId: '', mid: '0', way: 'transform' } as const

const FRAME: WireFrame = {
  kind: 'audio',
  codec: 'opus',
  track: 1,
  key: true,
  first: false,
  sequence: null,
  ssrc: 7,
  csrc: 0,
  mixes: [],
  rtpTimestamp: 0,
  receivedMs: 0,
  audioLevel: 70,
  width: 0,
  height: 0,
  payload: Uint8Array.of(1),
}

/** Frames of each message with frames, and the kinds of others, that a page sends while the receiver sends these commands. Its timers stand still. */
async function sentBy(
  ship: (shipper: Shipper, command: (it: ToPage) => Promise<void>) => Promise<void>,
): Promise<readonly (number | string)[]> {
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const commands = createQueue<ToPage>()
  const messages: (number | string)[] = []
  const connection = once(server, 'connection')
  const config = { ...CONFIG, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
  const shipper = new Shipper(config, (it) => commands.push(it))
  shipper.connect(null)
  const [socket] = (await connection) as [WebSocket]
  onTestFinished(() => socket.terminate())
  const ended = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer, isBinary) => {
      const { kind } = isBinary ? { kind: decodeBatch(data)?.length ?? -1 } : (decodeFromPage(data.toString()) ?? { kind: '' })
      if (kind === 'problem') resolve()
      else if (kind !== 'hello') messages.push(kind)
    }),
  )
  await ship(shipper, async (it) => {
    socket.send(encodeControl(it))
    await commands[Symbol.asyncIterator]().next()
  })
  shipper.send({ kind: 'problem', message: 'the end' })
  await ended
  return messages
}

test('sends collected frames in one message, at once before a pause', async () => {
  const messages = await sentBy(async (shipper, command) => {
    for (let frame = 0; frame < 3; frame++) shipper.ship(FRAME)
    await command({ kind: 'pause' })
    shipper.ship(FRAME)
  })
  expect(messages).toEqual([3])
})

test('sends collected frames before the end of their track', async () => {
  const messages = await sentBy(async (shipper) => {
    for (let frame = 0; frame < 3; frame++) shipper.ship(FRAME)
    shipper.send({ kind: 'track-ended', number: 1 })
  })
  expect(messages).toEqual([3, 'track-ended'])
})

test('sends audio at once for live audio, with the frames before it', async () => {
  const messages = await sentBy(async (shipper, command) => {
    shipper.ship(FRAME)
    await command({ kind: 'live', on: true })
    shipper.ship({ ...FRAME, kind: 'video' })
    shipper.ship(FRAME)
    shipper.ship(FRAME)
  })
  expect(messages).toEqual([3, 1])
})

test('sends problems and ended tracks from before the connection, and each open track once', async () => {
  // A shipper has no end: its heartbeat and its reconnects must not outlive the test.
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const received = createQueue<FromPage>()
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message = decodeFromPage(data.toString())
      if (message && message.kind !== 'heartbeat') received.push(message)
    })
    onTestFinished(() => socket.terminate())
  })
  const shipper = new Shipper({ ...CONFIG, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }, () => undefined)
  shipper.send({ kind: 'problem', message: 'transform: no transforms here' })
  shipper.send({ kind: 'track', info: TRACK })
  shipper.send({ kind: 'track', info: { ...TRACK, number: 2 } })
  shipper.send({ kind: 'track-ended', number: 2 })
  shipper.connect(null)

  const kinds: string[] = []
  for await (const message of received) {
    kinds.push(message.kind)
    if (message.kind === 'track-ended') break
  }
  expect(kinds).toEqual(['hello', 'track', 'problem', 'track-ended'])
})
