// Who may speak to the receiver, what it hands on, and what it answers.
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../../test/helpers/until.ts'
import { type FrameSink, type Receiver, startReceiver } from './receiver.ts'
import { encodeBatch, encodeControl, type FromPage, type TrackNote, type WireFrame } from './wire.ts'

const NOTE: TrackNote = { number: 3, id: 'mic', kind: 'audio', codec: 'opus', label: '', streamId: 's', mid: '0', way: 'transform' }
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

const open: { receiver: Receiver; sockets: WebSocket[] }[] = []
afterEach(async () => {
  for (const { receiver, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.terminate()
    await receiver.close()
  }
})

async function bench() {
  const seen: unknown[][] = []
  const clock = { ms: 500 }
  const sink: FrameSink = {
    nowMs: () => clock.ms,
    track: (key, { id }) => seen.push(['track', key, id]),
    frame: (key, { payload }, arrivedMs) => seen.push(['frame', key, payload.length, arrivedMs]),
    trackEnded: (key) => seen.push(['ended', key]),
    problem: (message) => seen.push(['problem', message]),
  }
  const receiver = await startReceiver(sink)
  const sockets: WebSocket[] = []
  open.push({ receiver, sockets })
  async function connect(hello: Partial<Extract<FromPage, { type: 'hello' }>> | null = {}) {
    const socket = new WebSocket(receiver.url)
    sockets.push(socket)
    const heard: unknown[] = []
    socket.on('message', (data) => heard.push(JSON.parse(data.toString())))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    if (hello) socket.send(encodeControl({ type: 'hello', token: receiver.token, page: 'p', sentMs: 1_000_000, ...hello }))
    const say = (message: FromPage) => socket.send(encodeControl(message))
    return { socket, heard, say, closed: () => until('the socket closes', () => socket.readyState === WebSocket.CLOSED) }
  }
  return { receiver, clock, seen, connect }
}

test('frames of announced tracks arrive in session time', async () => {
  const { seen, connect } = await bench()
  const { socket, say } = await connect()
  socket.send(encodeBatch([FRAME]))
  say({ type: 'track', ...NOTE })
  socket.send(encodeBatch([FRAME, { ...FRAME, receivedMs: 1_000_070 }]))
  say({ type: 'track-ended', number: 3 })
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
])('%s is shown the door', async (_, hello) => {
  const { connect, seen } = await bench()
  const { closed } = await connect(hello)
  await closed()
  expect(seen).toEqual([])
})

test('frames before the hello, and what is not ours after it, end the connection', async () => {
  const { connect, seen } = await bench()
  const early = await connect(null)
  early.socket.send(encodeBatch([FRAME]))
  await early.closed()
  const later = await connect()
  later.socket.send(Buffer.from('noise'))
  await later.closed()
  expect(seen).toEqual([['problem', expect.stringContaining('not ours')]])
})

test('a page that comes back keeps its tracks, and hears what still holds', async () => {
  const { receiver, connect, seen } = await bench()
  const first = await connect()
  first.say({ type: 'track', ...NOTE })
  await until('the track is known', () => seen.length === 1)
  receiver.say({ type: 'pause' })
  await until('the page hears of the pause', () => first.heard.length === 1)
  first.socket.terminate()
  const second = await connect()
  await until('the page hears of it again', () => second.heard.length === 1)
  receiver.askKeyFrame('p/3')
  receiver.say({ type: 'resume' })
  await until('the page hears the rest', () => second.heard.length === 3)
  expect(second.heard).toEqual([{ type: 'pause' }, { type: 'keyframe', number: 3 }, { type: 'resume' }])
  second.socket.send(encodeBatch([FRAME]))
  await until('its frame is taken', () => seen.length === 2)
  expect(seen[1]).toEqual(['frame', 'p/3', 2, 550])
})

test('a source that one page has is named by another', async () => {
  const { connect, seen } = await bench()
  const frames = await connect({ page: 'worker' })
  frames.say({ type: 'track', ...NOTE, id: 'ssrc:9' })
  await until('the track is known', () => seen.length === 1)
  const names = await connect({ page: 'main' })
  names.say({ type: 'source', ssrc: 9, id: 'microphone', streamId: 's', mid: '1' })
  await until('it is named', () => seen.length === 2)
  expect(seen).toEqual([
    ['track', 'worker/3', 'ssrc:9'],
    ['track', 'worker/3', 'microphone'],
  ])
})

test('heartbeats tell how the page is', async () => {
  const { receiver, connect, clock } = await bench()
  const { say } = await connect()
  clock.ms = 2_500
  say({ type: 'heartbeat', sentMs: 1_002_000, frames: 70, dropped: 2, silentMs: 900 })
  await until('it is counted', () => receiver.health()[0]?.frames === 70)
  expect(receiver.health()).toEqual([{ connected: true, lastHeartbeatMs: 2_500, silentMs: 900, frames: 70, dropped: 2 }])
})
