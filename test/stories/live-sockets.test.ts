// Live audio to the caller's server and back: real packets, real sockets, measured sound.

import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createAudioDecoders } from '../../src/bot/live/audio-decoders.ts'
import { startControl } from '../../src/bot/live/control-socket.ts'
import { startLiveAudio } from '../../src/bot/live/live-audio.ts'
import { publicErrorOf } from '../../src/kit/failure.ts'
import { type LiveServer, startLiveServer } from '../helpers/callers/live-server.ts'
import { joined, numbered, toneOf, tonePackets } from '../helpers/media/live-opus.ts'
import { until } from '../helpers/until.ts'

const PEOPLE = [
  { id: 'anna', name: 'Anna', toneHz: 440 },
  { id: 'bert', name: 'Bert', toneHz: 1_000 },
] as const
const VOICES = PEOPLE.map((person) => ({ person, packets: numbered(tonePackets({ toneHz: person.toneHz, seconds: 4 })) }))
const SECOND = 48_000
const cleanUps: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function server(): Promise<LiveServer> {
  const it = await startLiveServer()
  cleanUps.push(() => it.close())
  return it
}

/** Feeds packets of all people, 20 ms of meeting time apart. Live audio is sent to `url`. */
function meeting(url: string) {
  let nowMs = 0
  let packet = 0
  let decoded = 0
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const live = startLiveAudio({ url, botId: 'bot-1', allowPrivate: true, nowMs: () => nowMs, onProblem })
  const hearing = createAudioDecoders({
    onFrame(source, pcm, atMs) {
      decoded++
      live.onAudio(PEOPLE.find(({ id }) => id === source) ?? null, pcm, atMs)
    },
  })
  cleanUps.push(
    () => live.end(),
    () => hearing.end(),
  )
  const speak = async (packets: number): Promise<void> => {
    for (const end = packet + packets; packet < end; packet++, nowMs += 20) {
      for (const { person, packets } of VOICES) {
        const frame = packets[packet]
        if (frame) hearing.push(person.id, frame, nowMs)
      }
      await setImmediate()
    }
    await until('everything is decoded', () => decoded === packet * PEOPLE.length)
  }
  return { live, speak, problems }
}

/** The samples that arrived under this id. */
function soundOf(frames: readonly Buffer[], id: string): Int16Array {
  const ids = Buffer.from(id)
  return joined(
    frames
      .filter((frame) => frame.subarray(3, 3 + frame.readUInt16LE(1)).equals(ids))
      .map((frame) => Int16Array.from({ length: 960 }, (_, at) => frame.readInt16LE(frame.length - 1_920 + at * 2))),
  )
}

test('streams each voice unchanged and in real time, and silence while paused', async () => {
  const { url, connection } = await server()
  const { live, speak } = meeting(url)
  const { received, frames } = await connection(1)
  await until('the hello', () => received.length === 1)
  await speak(50)
  live.pause()
  await speak(25)
  live.resume()
  await speak(50)
  await until('all frames', () => frames.length === 250)

  for (const { id, toneHz } of PEOPLE) {
    const sound = soundOf(frames, id)
    expect(sound.length).toBe(2.5 * SECOND)
    const parts = [sound.subarray(SECOND / 4, SECOND), sound.subarray(SECOND, 1.5 * SECOND), sound.subarray(1.5 * SECOND)].map(toneOf)
    expect(parts[0]?.hz).toBeCloseTo(toneHz, 0)
    expect(parts[1]?.amplitude).toBe(0)
    expect(parts[2]?.hz).toBeCloseTo(toneHz, 0)
    for (const part of [parts[0], parts[2]]) expect(Math.abs((part?.amplitude ?? 0) - 0.125)).toBeLessThan(0.015)
  }
})

test('reports the missed time to a server that reconnects, and continues', async () => {
  const { url, connection } = await server()
  const { speak, problems } = meeting(url)
  const first = await connection(1)
  await until('the hello', () => first.received.length === 1)
  await speak(50)
  await until('the first second', () => first.frames.length === 100)
  first.reset()
  await until('the loss is noticed', () => problems.length > 0)
  await speak(5)
  const second = await connection(2)
  await until('the hello', () => second.received.length === 1)
  await speak(50)
  await until('the last second', () => first.frames.length + second.frames.length + missed(second.received) === 105 * PEOPLE.length)
  expect(second.received[0]).toMatchObject({ type: 'ready', bot_id: 'bot-1' })
  expect(missed(second.received)).toBeGreaterThan(0)
  for (const { id, toneHz } of PEOPLE) expect(toneOf(soundOf(second.frames.slice(-80), id)).hz).toBeCloseTo(toneHz, 0)
})

function missed(received: readonly unknown[]): number {
  return received.reduce<number>((sum, it) => sum + (Buffer.isBuffer(it) ? 0 : ((it as { frames?: number }).frames ?? 0)), 0)
}

test('plays audio that a server echoes into the meeting until it is interrupted', async () => {
  const [audioServer, controlServer] = [await server(), await server()]
  const { speak } = meeting(audioServer.url)
  const spoken: Int16Array[] = []
  let cleared = 0
  const nothing = async () => undefined
  const control = startControl({
    url: controlServer.url,
    botId: 'bot-1',
    allowPrivate: true,
    onProblem: () => undefined,
    explain: publicErrorOf,
    perform: {
      audio: async (pcm, { sampleRate, channels }) => {
        expect([sampleRate, channels]).toEqual([48_000, 1])
        spoken.push(Int16Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(at * 2)))
      },
      clearAudio: async () => void cleared++,
      image: nothing,
      imageUrl: nothing,
      chat: nothing,
    },
  })
  cleanUps.push(() => control.end())
  const [voices, commands] = [await audioServer.connection(1), await controlServer.connection(1)]
  voices.socket.on('message', (data, isBinary) => {
    const frame = data as Buffer
    if (!isBinary || frame.toString('utf8', 3, 7) !== 'bert') return
    const audiochunk = frame.subarray(-1_920).toString('base64')
    commands.socket.send(JSON.stringify({ command: 'sendaudio', audiochunk, sample_rate: 48_000, encoding: 'pcm16', channels: 1 }))
  })
  await until('both hellos', () => voices.received.length === 1 && commands.received.length === 1)
  await speak(50)
  await until('a second of Bert', () => spoken.length === 50)
  expect(toneOf(joined(spoken).subarray(SECOND / 4)).hz).toBeCloseTo(1_000, 0)

  commands.socket.send(JSON.stringify({ command: 'interrupt', action: 'clear_audio_queue' }))
  await until('the interruption', () => cleared === 1)
  expect(commands.received).toEqual([{ type: 'ready', bot_id: 'bot-1' }])
})
