import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { createQueue } from '../../kit/async-queue.ts'
import { Shipper } from './page/shipper.ts'
import { decodeFromPage, type FromPage } from './wire.ts'

const CONFIG = { token: 'token', batchMs: 20, video: true, encoded: true, fallbackAfterMs: 1_000, wrapWorkers: false }
const TRACK = { number: 1, id: 'track', kind: 'audio', codec: '', label: '', streamId: '', mid: '0', way: 'transform' } as const

test('sends problems and ended tracks that precede the connection, and tracks once', async () => {
  // A shipper lives as long as its page: its heartbeat and its reconnects must not outlive the test.
  vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  const received = createQueue<FromPage>()
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const message = decodeFromPage(data.toString())
      if (message && message.type !== 'heartbeat') received.push(message)
    })
    onTestFinished(() => socket.terminate())
  })
  const shipper = new Shipper({ ...CONFIG, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }, () => undefined)
  shipper.say({ type: 'problem', message: 'transform: no transforms here' })
  shipper.say({ type: 'track', ...TRACK })
  shipper.say({ type: 'track', ...TRACK, number: 2 })
  shipper.say({ type: 'track-ended', number: 2 })
  shipper.connect(null)

  const types: string[] = []
  for await (const message of received) {
    types.push(message.type)
    if (message.type === 'track-ended') break
  }
  expect(types).toEqual(['hello', 'track', 'problem', 'track-ended'])
})
