import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../../../test/helpers/until.ts'
import { encodeBatch } from '../batch.ts'
import type { FrameSink } from '../source/source-info.ts'
import { encodeControl, type FromPage, type TrackInfo, type WireFrame } from '../wire.ts'
import { startReceiver } from './receiver.ts'

const INFO: TrackInfo = { number: 3, id: 'mic', kind: 'audio', codec: 'opus', label: '', streamId: 's', mid: '0', way: 'transform' }
const FRAME: WireFrame = {
  kind: 'audio',
  track: 3,
  codec: 'opus',
  key: true,
  first: true,
  rtpTimestamp: 1,
  sequence: 1,
  ssrc: 9,
  csrc: 0,
  mixes: [],
  receivedMs: 1_000_050,
  audioLevel: 30,
  width: 0,
  height: 0,
  payload: Uint8Array.of(0x78, 1),
}

const open: { receiver: Awaited<ReturnType<typeof startReceiver>>; sockets: WebSocket[] }[] = []
afterEach(async () => {
  for (const { receiver, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.terminate()
    await receiver.close()
  }
})

async function openReceiver() {
  const seen: unknown[][] = []
  const clock = { ms: 500 }
  const sink: FrameSink = {
    track: (key, { id }) => seen.push(['track', key, id]),
    frame: (key, { payload }, arrivedMs) => seen.push(['frame', key, payload.length, arrivedMs]),
    trackEnded: (key) => seen.push(['ended', key]),
  }
  const onProblem = (message: string) => seen.push(['problem', message])
  const receiver = await startReceiver(sink, { nowMs: () => clock.ms, onProblem })
  const sockets: WebSocket[] = []
  open.push({ receiver, sockets })
  async function connect(hello: Partial<Extract<FromPage, { kind: 'hello' }>> | null = {}) {
    const socket = new WebSocket(receiver.url)
    sockets.push(socket)
    const received: unknown[] = []
    socket.on('message', (data) => received.push(JSON.parse(data.toString())))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    if (hello) socket.send(encodeControl({ kind: 'hello', token: receiver.token, page: 'p', sentMs: 1_000_000, ...hello }))
    const send = (message: FromPage) => socket.send(encodeControl(message))
    return { socket, received, send, closed: () => until('the socket closes', () => socket.readyState === WebSocket.CLOSED) }
  }
  return { receiver, clock, seen, connect }
}

test('passes frames of announced tracks with their session time', async () => {
  const { seen, connect } = await openReceiver()
  const { socket, send } = await connect()
  socket.send(encodeBatch([FRAME]))
  send({ kind: 'track', info: INFO })
  socket.send(encodeBatch([FRAME, { ...FRAME, receivedMs: 1_000_070 }]))
  send({ kind: 'track-ended', number: 3 })
  await until('the track has ended', () => seen.length >= 4)
  expect(seen).toEqual([
    ['track', 'p/3', 'mic'],
    ['frame', 'p/3', 2, 550],
    ['frame', 'p/3', 2, 570],
    ['ended', 'p/3'],
  ])
})

test.each([
  ['a wrong token', { token: 'x' }],
  ['a token of the right length', { token: 'x'.repeat(32) }],
])('rejects %s', async (_, hello) => {
  const { connect, seen } = await openReceiver()
  const { closed } = await connect(hello)
  await closed()
  expect(seen).toEqual([])
})

test('closes a connection that sends frames before the hello, or an invalid message after it', async () => {
  const { connect, seen } = await openReceiver()
  const early = await connect(null)
  early.socket.send(encodeBatch([FRAME]))
  await early.closed()
  const later = await connect()
  later.socket.send(Buffer.from('noise'))
  await later.closed()
  expect(seen).toEqual([['problem', expect.stringContaining('invalid message')]])
})

test('keeps the tracks of a page that reconnects, and repeats the last commands to it', async () => {
  const { receiver, connect, seen } = await openReceiver()
  const first = await connect()
  first.send({ kind: 'track', info: INFO })
  await until('the track is known', () => seen.length === 1)
  receiver.sendCommand({ kind: 'pause' })
  await until('the page receives the pause', () => first.received.length === 1)
  first.socket.terminate()
  const second = await connect()
  await until('the page receives it again', () => second.received.length === 1)
  receiver.requestKeyFrame('p/3')
  receiver.sendCommand({ kind: 'resume' })
  await until('the page receives the rest', () => second.received.length === 3)
  expect(second.received).toEqual([{ kind: 'pause' }, { kind: 'keyframe', number: 3 }, { kind: 'resume' }])
  second.socket.send(encodeBatch([FRAME]))
  await until('its frame is passed on', () => seen.length === 2)
  expect(seen[1]).toEqual(['frame', 'p/3', 2, 550])
})

test('renames a source whose SSRC another page reports', async () => {
  const { connect, seen } = await openReceiver()
  const frames = await connect({ page: 'worker' })
  frames.send({ kind: 'track', info: { ...INFO, id: 'ssrc:9' } })
  await until('the track is known', () => seen.length === 1)
  const names = await connect({ page: 'main' })
  names.send({ kind: 'source', ssrc: 9, id: 'microphone', streamId: 's', mid: '1' })
  await until('it is named', () => seen.length === 2)
  expect(seen).toEqual([
    ['track', 'worker/3', 'ssrc:9'],
    ['track', 'worker/3', 'microphone'],
  ])
})

test('reports the health of a page from its heartbeat', async () => {
  const { receiver, connect, clock } = await openReceiver()
  const { send } = await connect()
  clock.ms = 2_500
  send({ kind: 'heartbeat', sentMs: 1_002_000, frames: 70, dropped: 2 })
  await until('it is counted', () => receiver.health()[0]?.frames === 70)
  expect(receiver.health()).toEqual([{ connected: true, lastHeartbeatMs: 2_500, frames: 70, dropped: 2 }])
})
