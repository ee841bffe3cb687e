import { afterEach, expect, test } from 'vitest'
import { startLiveServer } from '../../../test/helpers/callers/live-server.ts'
import { until } from '../../../test/helpers/until.ts'
import { type LiveAudio, startLiveAudio } from './live-audio.ts'

const ANNA = { id: 'p1', name: 'Änna 🎈' }
const BERT = { id: 'p2', name: 'Bert' }
const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

const pcmOf = (value: number) => new Int16Array(960).fill(value)

/** Parses a frame by the specification, without our code. */
function parseFrame(frame: Buffer) {
  const idEnd = 3 + frame.readUInt16LE(1)
  const nameEnd = idEnd + 2 + frame.readUInt16LE(idEnd)
  const samples = Array.from({ length: (frame.length - nameEnd) / 2 }, (_, at) => frame.readInt16LE(nameEnd + at * 2))
  return { tag: frame[0], id: frame.toString('utf8', 3, idEnd), name: frame.toString('utf8', idEnd + 2, nameEnd), samples }
}

async function openLiveAudio() {
  const server = await startLiveServer()
  cleanUps.push(() => server.close())
  let nowMs = 10_000
  const live: LiveAudio = startLiveAudio({
    url: server.url,
    botId: 'bot-1',
    allowPrivate: true,
    nowMs: () => nowMs,
    onProblem: () => undefined,
  })
  cleanUps.push(() => live.end())
  const connection = await server.connection(1)
  await until('the hello', () => connection.received.length === 1)
  return {
    live,
    ...connection,
    server,
    at: (ms: number) => {
      nowMs = ms
    },
    async taken(count: number) {
      await until(`${count} frames`, () => connection.frames.length >= count)
      return connection.frames.map(parseFrame)
    },
  }
}

test('announces the format in the first message', async () => {
  const { received } = await openLiveAudio()
  expect(received).toEqual([{ type: 'ready', bot_id: 'bot-1', encoding: 'pcm_s16le', sample_rate: 48_000, channels: 1, frame_ms: 20 }])
})

test('encodes a frame as the specified bytes', async () => {
  const { live, frames } = await openLiveAudio()
  const pcm = pcmOf(0)
  pcm.set([1, -2, 32_767, -32_768])
  live.onAudio({ id: 'ab', name: 'é' }, pcm, 10_000)
  live.onAudio(null, pcm, 10_000)
  await until('both', () => frames.length === 2)
  const samples = `0100feffff7f0080${'0000'.repeat(956)}`
  expect(frames[0]?.toString('hex')).toBe(`01${'0200'}${'6162'}${'0200'}${'c3a9'}${samples}`)
  expect(frames[1]?.toString('hex')).toBe(`01${'0000'}${'0900'}${Buffer.from('NoSpeaker').toString('hex')}${samples}`)
})

test('sends the newest name of a speaker, and does not take a speaker without id for an unknown one', async () => {
  const { live, taken } = await openLiveAudio()
  live.onAudio(ANNA, pcmOf(1), 10_000)
  live.onAudio({ ...ANNA, name: 'Anna B' }, pcmOf(2), 10_020)
  live.onAudio({ id: '', name: 'Guest' }, pcmOf(3), 10_020)
  live.onAudio(null, pcmOf(4), 10_020)
  expect((await taken(4)).map(({ id, name, samples: [first] }) => [id, name, first])).toEqual([
    ['p1', 'Änna 🎈', 1],
    ['p1', 'Anna B', 2],
    ['', 'Guest', 3],
    ['', 'NoSpeaker', 4],
  ])
})

test('cuts a name that is too long between characters', async () => {
  const { live, taken } = await openLiveAudio()
  live.onAudio({ id: 'p', name: '🎈'.repeat(20_000) }, pcmOf(5), 10_000)
  live.onAudio({ id: 'p', name: 'x'.repeat(65_535) }, pcmOf(5), 10_000)
  live.onAudio({ id: 'i'.repeat(70_000), name: 'n' }, pcmOf(5), 10_000)
  const [balloons, letters, id] = await taken(3)
  expect(balloons?.name).toBe('🎈'.repeat(16_383))
  expect(letters?.name).toHaveLength(65_535)
  expect(id?.id).toHaveLength(65_535)
  expect([balloons, letters, id].every((it) => it?.samples.length === 960 && it.samples.every((sample) => sample === 5))).toBe(true)
})

test('sends silence for every streaming speaker during a pause, and no audio', async () => {
  const { live, at, taken, frames } = await openLiveAudio()
  live.onAudio({ id: 'p0', name: 'Long gone' }, pcmOf(7), 8_000)
  at(11_500)
  live.onAudio(ANNA, pcmOf(7), 11_480)
  live.onAudio(BERT, pcmOf(7), 11_480)
  live.pause()
  live.pause()
  live.onAudio(ANNA, pcmOf(99), 11_480)
  live.onAudio({ id: 'p3', name: 'New' }, pcmOf(99), 11_520)
  at(11_560)
  await until('three frames of silence for each', () => frames.length === 3 + 6)
  at(12_005)
  live.resume()
  live.resume()
  live.onAudio(ANNA, pcmOf(99), 12_000)
  live.onAudio(ANNA, pcmOf(8), 12_005)

  const sent = (await taken(3 + 50 + 1)).map(({ id, samples }) => `${id} ${[...new Set(samples)]}`)
  const silence = (id: string) => sent.filter((it) => it === `${id} 0`).length
  expect(sent.slice(0, 3)).toEqual(['p0 7', 'p1 7', 'p2 7'])
  expect([silence('p0'), silence('p1'), silence('p2'), silence('p3')]).toEqual([0, 25, 25, 0])
  expect(sent.at(-1)).toBe('p1 8')
  expect(sent).toHaveLength(54)
})

test('keeps an unknown speaker and a guest without id as two streams, also in silence', async () => {
  const { live, at, taken } = await openLiveAudio()
  live.onAudio({ id: '', name: 'Guest' }, pcmOf(3), 10_000)
  live.onAudio(null, pcmOf(4), 10_000)
  live.pause()
  at(10_020)
  expect((await taken(4)).slice(2).map(({ name }) => name)).toEqual(['Guest', 'NoSpeaker'])
})

test('sends silence until the pause or the bot ends', async () => {
  const { live, at, frames } = await openLiveAudio()
  live.onAudio(ANNA, pcmOf(7), 10_000)
  live.pause()
  for (let round = 1; round <= 10; round++) {
    at(10_000 + round * 20)
    await until(`${round} frames of silence`, () => frames.length === 1 + round)
  }
  await live.end()
  at(20_000)
  live.onAudio(ANNA, pcmOf(7), 20_000)
  expect(frames).toHaveLength(11)
})

test('drops frames for a receiver that does not read, without waiting', async () => {
  const { live, socket, received, frames } = await openLiveAudio()
  socket.pause()
  let mostWaiting = 0
  const startedMs = performance.now()
  for (let frame = 0; frame < 12_000; frame++) {
    live.onAudio(ANNA, pcmOf(frame), 10_000)
    mostWaiting = Math.max(mostWaiting, live.waitingBytes())
  }
  expect((performance.now() - startedMs) / 12_000).toBeLessThan(1)
  expect(mostWaiting).toBeLessThan(1024 * 1024 + 4_096)
  socket.resume()
  await until('the socket is drained', () => live.waitingBytes() === 0)
  live.onAudio(ANNA, pcmOf(1), 10_000)
  await until('the gap', () => received.some((it) => !Buffer.isBuffer(it) && JSON.stringify(it).includes('gap')))
  await until('the frame after it', () => Buffer.isBuffer(received.at(-1)))
  expect(received.at(-2)).toMatchObject({ type: 'gap', frames: 12_001 - frames.length })
})
