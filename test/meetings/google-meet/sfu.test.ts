// The lanes of the simulated Google Meet, as a page in a real browser receives them.
import { OpusDecoder } from 'opus-decoder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMeetSpace } from '../../../sims/google-meet/sfu/space.ts'
import type { MeetSpace, ScriptedPerson } from '../../../sims/google-meet/sfu/types.ts'
import { launchBrowser } from '../../../sims/room/people.ts'
import { ONE_PATH } from '../../../sims/webrtc/peer.ts'
import { openForFile } from '../../helpers/for-file.ts'
import * as sfuPage from '../../helpers/meetings/meet-sfu-page.ts'
import { until } from '../../helpers/until.ts'

const { frameCount, framesOf, hum, inside, numberIn, parse, sourcesOf } = sfuPage
const [RED_TYPE, OPUS_TYPE, PACKET_SAMPLES] = [63, 111, 960]

const server = openForFile(() => sfuPage.servePage())
const browser = openForFile(() => launchBrowser([ONE_PATH]))

describe('three people who hum in lanes that switch every second, with redundancy', () => {
  let space: MeetSpace
  let people: readonly ScriptedPerson[]
  let frames: readonly sfuPage.EncodedFrame[]
  let sources: readonly sfuPage.Source[]
  let spectra: readonly (readonly number[])[]
  let inbound: readonly { kind: string; packetsLost: number }[]

  beforeAll(async () => {
    space = createMeetSpace({ red: true, switchLanesEveryMs: 1_000 })
    const tones = [440, 1_000, 2_300]
    people = await Promise.all(tones.map((voice, index) => space.join({ name: `hum ${index}`, voice })))
    const page = await sfuPage.visit(browser, server.url, { space, reading: 'transform', slots: 5, deviceId: space.newDeviceId() })
    await until('the lanes have filled up', async () => (await frameCount(page)) > 300, 10_000)
    await page.evaluate(`listen(${JSON.stringify(tones)})`)
    await until('some switches have passed', async () => (await page.evaluate<number>('spectra.length')) > 32)
    sources = await sourcesOf(page)
    spectra = await page.evaluate<number[][]>('spectra')
    inbound = await page.evaluate<{ kind: string; packetsLost: number }[]>('inbound()')
    frames = await framesOf(page)
    await page.close()
  })
  afterAll(() => space?.close())

  const laneOf = (lane: number) => frames.filter((frame) => frame.lane === lane)
  const sourcesIn = (lane: number) => laneOf(lane).map(({ sources: [source] }) => source)

  test('names its speaker in every packet', () => {
    const known = people.map((person) => person.source())
    expect(frames.every(({ sources: [source, ...more] }) => source !== undefined && known.includes(source) && more.length === 0)).toBe(true)
  })

  test('moves everybody through every lane, one second at a time, as the ground truth says', () => {
    for (const lane of [0, 1, 2]) {
      const sitters = sourcesIn(lane)
      const changes = [...sitters.keys()].filter((index) => index > 0 && sitters[index] !== sitters[index - 1])
      expect(new Set(sitters).size).toBe(3)
      const lengths = changes.slice(1).map((change, index) => change - (changes[index] ?? 0))
      expect(lengths).toContain(50)
    }
    for (const { lanes } of space.truth()) {
      const stays = lanes.slice(2).map(({ fromMs }, index) => fromMs - (lanes[index + 1]?.fromMs ?? 0))
      expect(stays).toContain(1_000)
    }
  })

  test('continues sequence numbers over lane switches and over their wrap-around', () => {
    for (const lane of [0, 1, 2]) {
      const packets = laneOf(lane)
      const steps = packets.slice(1).map(({ sequence, rtpTimestamp }, index) => {
        const before = packets[index]
        return [(sequence - (before?.sequence ?? 0)) & 0xffff, rtpTimestamp - (before?.rtpTimestamp ?? 0)]
      })
      expect(new Set(steps.map(String))).toEqual(new Set([String([1, PACKET_SAMPLES])]))
    }
    expect(laneOf(0).map(({ sequence }) => sequence)).toContain(0)
  })

  test('sends every packet as RED with the previous packet of the same person', () => {
    const primaries = new Map<string, string>()
    let redundancies = 0
    for (const {
      bytes,
      payloadType,
      rtpTimestamp,
      sources: [source],
    } of frames) {
      expect(payloadType).toBe(RED_TYPE)
      const [first = 0, high = 0, middle = 0, low = 0, last] = bytes
      expect([first, last]).toEqual([0x80 | OPUS_TYPE, OPUS_TYPE])
      const [back, length] = [(high << 6) | (middle >> 2), ((middle & 3) << 8) | low]
      expect(back).toBe(PACKET_SAMPLES)
      const earlier = primaries.get(`${source} ${rtpTimestamp - back}`)
      if (earlier !== undefined) redundancies++
      expect(earlier ?? String(bytes.slice(5, 5 + length))).toBe(String(bytes.slice(5, 5 + length)))
      primaries.set(`${source} ${rtpTimestamp}`, String(bytes.slice(5 + length)))
    }
    expect(redundancies).toBeGreaterThan(frames.length - 20)
  })

  test('gives the page the same CSRCs with their audio levels', () => {
    const fresh = sources.filter(({ age }) => age < 500)
    expect(new Set(fresh.map(({ source }) => source))).toEqual(new Set(people.map((person) => person.source())))
    // A hum of amplitude 1/4 is 15 dB below full scale.
    for (const { level } of fresh) expect(level).toBeCloseTo(10 ** (-15 / 20), 2)
  })

  test('loses no packet, and no lane falls silent when its speaker changes', async () => {
    expect(inbound.filter(({ packetsLost }) => packetsLost !== 0)).toEqual([])
    for (const lane of [0, 1, 2]) {
      const decoder = new OpusDecoder({ channels: 1 })
      await decoder.ready
      const loudness = laneOf(lane).map(({ bytes: [, , middle = 0, low = 0, , ...opus] }) => {
        const [samples = new Float32Array()] = decoder.decodeFrame(Buffer.from(opus.slice(((middle & 3) << 8) | low))).channelData
        return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / PACKET_SAMPLES)
      })
      decoder.free()
      // Opus derives a packet's loudness from earlier ones: after another speaker's packets it needs a tenth of a second.
      const quiet = loudness.map((it) => (it < 0.1 ? 'q' : ' ')).join('')
      expect(quiet).not.toContain('q'.repeat(6))
    }
  })

  test('plays all three at once in the page', () => {
    const loud = spectra.filter((tones) => tones.every((decibels) => decibels > -45))
    expect(loud.length).toBeGreaterThan(spectra.length / 2)
  })
})

describe('without a page', () => {
  test('gives the three lanes to the loudest of five speakers', async () => {
    const space = createMeetSpace({ syncLagMs: 60_000, afterLeaving: 'told' })
    // The quiet ones start first.
    const loudness = [-38, -46, -28, -18, -8]
    const people = await Promise.all(loudness.map((_, index) => space.join({ name: String(index) })))
    const say = (index: number) => people[index]?.say(hum(loudness[index] ?? 0, 2))
    const first = [0, 1, 2].map(say)
    await until('three have the lanes', () => space.truth().filter(({ lanes }) => lanes.length > 0).length === 3)
    await Promise.all([...first, say(3), say(4)])
    const sittings = space.truth().flatMap(({ name, lanes }) => lanes.map((it) => ({ name, ...it })))
    const last = [0, 1, 2].map((lane) => sittings.filter((it) => it.lane === lane).toSorted((a, b) => b.fromMs - a.fromMs)[0]?.name)
    expect(last.toSorted()).toEqual(['2', '3', '4'])
    people[0]?.leave()
    const status = () => inside(parse(Buffer.from(space.syncReply(), 'base64')), 2, 2, 2).map((it) => numberIn(it, 4))
    expect(status()).toEqual([1, 1, 1, 1, 1])
    await space.close()
  })

  test('rejects an incomplete offer and names what is missing', async () => {
    const space = createMeetSpace()
    await expect(space.offer('v=0\r\n', { name: 'x' })).rejects.toThrow('3 recvonly sections of audio are needed, and there are 0')
    expect(() => space.receivedAudio()).toThrow('No visitor has joined')
    await expect(space.join({ name: 'x', colour: 'no-such-colour' })).rejects.toThrow('no-such-colour')
    await space.close()
  })
})
