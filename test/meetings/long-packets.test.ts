// Bots that send nothing live ask the room for long audio packets. Their files are judged by decoding them.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser, startPeople } from '../../sims/room/people.ts'
import { opusMs } from '../../src/bot/capture/codec.ts'
import { readMatroska } from '../../src/kit/matroska/reader.ts'
import { startLiveReceiver } from '../helpers/callers/live-receiver.ts'
import { type Delivery, fetchDelivery, toneStartMs } from '../helpers/media/delivered.ts'
import { complaints, type Sound, sound } from '../helpers/media/recorded-media.ts'
import { readRecording } from '../helpers/media/recording.ts'
import { ADA, BEN, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const CLAP_HZ = 2000
const STAY_MS = 12_000
const PEOPLE = [ADA, BEN]
/** A gap of 20 ms weakens the tone in two such windows. */
const WINDOW_MS = 10
const LOUD = 0.05

let stage: Stage
let browser: Browser
beforeAll(async () => {
  stage = new Stage(await startTestService(WITH_BOTS))
  // Browsers, because guests send packets of 20 ms whatever a bot asks for.
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await stage?.service.stop()
})

const folderOf = (id: string) => path.join(stage.service.directory, 'recordings', id)
const audioTracks = (id: string) => readRecording(folderOf(id)).tracks.filter(({ kind }) => kind === 'audio')

/** The packets of a recording that still runs, by segment. */
function packetsOf(id: string) {
  const files = audioTracks(id).flatMap(({ segments }) => segments.map(({ file }) => file))
  return files.map((file) => readMatroska(readFileSync(path.join(folderOf(id), file)))?.packets ?? [])
}

async function recorded(id: string): Promise<void> {
  await stage.has(id, 'Recording')
  const isRecorded = () => audioTracks(id).filter(({ totalSeconds }) => totalSeconds > 0).length >= PEOPLE.length
  await until('both are recorded', isRecorded, 30_000)
}

describe('two people, one bot that only records and one that streams audio', () => {
  let delivery: Delivery
  let live: { readonly id: string; readonly packets: ReturnType<typeof packetsOf> }
  let packets: ReturnType<typeof packetsOf>
  let times: { readonly started: number; readonly clapped: number; readonly muting: number; readonly muted: number; readonly left: number }

  beforeAll(async () => {
    const people = await startPeople({ browser, roomUrl: stage.link('long'), people: PEOPLE.map(withoutCamera) })
    for (const person of people.people) await person.join()
    const socket = await startLiveReceiver()
    const id = await stage.send('long', NO_VIDEO)
    const liveId = await stage.send('long', { ...NO_VIDEO, live_audio_required: { websocket_url: socket.url } })
    for (const it of [id, liveId]) await recorded(it)
    await delay(1_000)
    const clapped = await people.named('Ada').clap()
    await delay(STAY_MS)
    packets = packetsOf(id)
    live = { id: liveId, packets: packetsOf(liveId) }
    const muting = Date.now()
    await people.named('Ada').mute()
    const muted = Date.now()
    await delay(1_500)
    await stage.remove(liveId)
    await stage.remove(id)
    await socket.close()
    await people.stop()
    await stage.has(id, 'Done', 120_000)
    const { StatusTimeline } = await stage.detail(id)
    const at = (status: string) => Date.parse(StatusTimeline[status].timestamp)
    times = { started: at('Recording'), clapped, muting, muted, left: at('Leaving') }
    delivery = await fetchDelivery(stage.service, id, { hasVideo: false })
  }, 180_000)
  afterAll(() => delivery?.discard())

  const lengthsOf = (segments: ReturnType<typeof packetsOf>) => [...new Set(segments.flat().map(({ data }) => opusMs(data)))]

  test('receives packets of 60 ms, and of 20 ms for live audio', () => {
    expect(lengthsOf(packets)).toEqual([60])
    expect(lengthsOf(live.packets)).toEqual([20])
  })

  test('records each packet right after the one before', () => {
    for (const segment of packets) {
      const gaps = segment.slice(1).map(({ atMs }, index) => atMs - (segment[index]?.atMs ?? 0) - 60)
      // The recording follows the sender's clock by at most a millisecond per second, and a file has whole milliseconds.
      expect(gaps.filter((gap) => Math.abs(gap) > 2)).toEqual([])
      expect(gaps.length).toBeGreaterThan(0)
    }
  })

  type Window = { readonly atMs: number; readonly level: number }

  /** Short windows: the recording follows the clock of a sender, and each small shift jumps the phase of a tone, which weakens a long window. */
  function windowsOf(found: Sound, tone: number, fromMs: number, untilMs: number): readonly Window[] {
    const starts = Array.from({ length: Math.floor((untilMs - fromMs) / WINDOW_MS) }, (_, index) => fromMs + index * WINDOW_MS)
    return starts.map((atMs) => ({ atMs, level: found.at(tone, atMs, atMs + WINDOW_MS) }))
  }

  function usualLevel(windows: readonly Window[]): number {
    return windows.map(({ level }) => level).toSorted((a, b) => a - b)[windows.length >> 1] ?? 0
  }

  /** Windows in which, as in the one before, the tone is not as loud as usual. A jump of the phase weakens only one. */
  function gapsIn(found: Sound, tone: number, fromMs: number, untilMs: number): readonly number[] {
    expect(untilMs - fromMs).toBeGreaterThan(STAY_MS - 1_000)
    const windows = windowsOf(found, tone, fromMs, untilMs)
    const usual = usualLevel(windows)
    expect(usual).toBeGreaterThan(LOUD)
    const isWeak = (window?: Window) => window !== undefined && window.level < 0.7 * usual
    return windows.filter((window, index) => isWeak(window) && isWeak(windows[index - 1])).map(({ atMs }) => atMs)
  }

  test.each(PEOPLE)('has the tone of $name without a gap, in a file without other tones and in the mix', ({ name, tone = 0 }) => {
    const [stream] = delivery.of(name, 'audio')
    const [own, startMs] = [sound(stream?.file ?? ''), stream?.startMs ?? 0]
    const endMs = (name === 'Ada' ? times.muting - times.started : (stream?.endMs ?? 0)) - 300
    expect(gapsIn(own, tone, own.startMs + 200, own.startMs + endMs - startMs)).toEqual([])
    expect(gapsIn(sound(delivery.audio), tone, startMs + 200, endMs)).toEqual([])
    for (const other of PEOPLE.filter((it) => it.name !== name)) expect(own.at(other.tone ?? 0, 2_000, 4_000)).toBeLessThan(0.01)
  })

  test('ends a tone when its person mutes, and the files when the bot leaves', () => {
    const mixed = sound(delivery.audio)
    const [mutedMs, leftMs] = [times.muted - times.started, times.left - times.started]
    expect(mixed.at(ADA.tone ?? 0, mutedMs + 300, mutedMs + 1_200)).toBeLessThan(0.003)
    expect(usualLevel(windowsOf(mixed, BEN.tone ?? 0, mutedMs + 300, mutedMs + 1_200))).toBeGreaterThan(LOUD)
    expect(Math.abs(mixed.lengthMs - leftMs)).toBeLessThan(500)
    expect(Math.abs((delivery.of('Ben', 'audio').at(-1)?.endMs ?? 0) - leftMs)).toBeLessThan(500)
    expect([delivery.audio, ...delivery.streams.map(({ file }) => file)].map(complaints).join('')).toBe('')
  })

  test('places a clap where it was, in the participant’s file and in the mix', () => {
    const clapMs = times.clapped - times.started
    const ownMs = toneStartMs(delivery.of('Ada', 'audio'), CLAP_HZ) ?? Number.NaN
    const mixedMs = sound(delivery.audio).firstMs(CLAP_HZ) ?? Number.NaN
    expect(Math.abs(ownMs - clapMs)).toBeLessThan(250)
    expect(Math.abs(ownMs - mixedMs)).toBeLessThan(50)
  })
})
