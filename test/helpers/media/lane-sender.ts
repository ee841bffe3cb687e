// A lane as an SFU sends it: numbered Opus packets with the CSRC of their speaker.
import { Lanes, type LanesOptions } from '../../../src/bot/capture/demultiplex/lanes.ts'
import { LaneTiming } from '../../../src/bot/capture/time/lane-timing.ts'
import type { WireFrame } from '../../../src/bot/capture/wire.ts'
import { PLAIN, sourceInfo } from './recording-fixture.ts'

export const [ADA, BEN, CY] = [101, 102, 103]
/** An Opus packet of 20 ms whose bytes encode its time. */
const payloadAt = (atMs: number) => Uint8Array.of(0x78, atMs >> 16, atMs >> 8, atMs)

/** Counters start anywhere. `delayMs` is the network delay. */
export function sender(lanes: Lanes, lane: string, { ssrc = 1, sequence = 0xfff0, rtp = 0xffff_0000, delayMs = 30 } = {}) {
  let sent = 0
  const frameAt = (atMs: number, csrc: number, more: Partial<WireFrame> = {}): WireFrame => ({
    ...PLAIN,
    kind: 'audio',
    codec: 'opus',
    receivedMs: 0,
    payload: payloadAt(atMs),
    ssrc,
    csrc,
    audioLevel: 20,
    sequence: (sequence + sent++) & 0xffff,
    rtpTimestamp: (rtp + atMs * 48) >>> 0,
    ...more,
  })
  const send = (atMs: number, csrc: number, more: { readonly lateMs?: number; readonly level?: number } = {}): void => {
    const frame = frameAt(atMs, csrc, { audioLevel: more.level ?? 20 })
    lanes.frame(lane, frame, atMs + delayMs + (more.lateMs ?? 0))
  }
  const speak = (csrc: number, fromMs: number, toMs: number): void => {
    for (let at = fromMs; at < toMs; at += 20) send(at, csrc)
  }
  return { frameAt, send, speak }
}

type Passed = { readonly source: string; readonly atMs: number; readonly frame: WireFrame & { readonly isOnlySpeech?: boolean } }

/** Three tracks that are demultiplexed and timed. `live` has the packets as the demultiplexer passes them, `passed` has them in order. */
export function openLanes(options: LanesOptions = { ignored: [42] }) {
  const [passed, live, events]: [Passed[], Passed[], string[]] = [[], [], []]
  const timing = new LaneTiming()
  const pass = (timed: ReturnType<LaneTiming['push']>): void => {
    for (const frame of timed) passed.push({ source: frame.source, atMs: frame.atMs, frame })
  }
  const lanes = new Lanes(
    {
      track: (source, { id, kind }) => void events.push(`${source} is ${kind} ${id}`),
      frame(source, frame, arrivedMs, lane) {
        live.push({ source, atMs: arrivedMs, frame })
        if (lane) pass(timing.push({ ...frame, source, arrivedMs }, lane))
        else passed.push({ source, atMs: arrivedMs, frame })
      },
      trackEnded(source) {
        events.push(`${source} ended`)
        pass(timing.end(source))
      },
    },
    options,
  )
  for (const number of [1, 2, 3]) lanes.track(`p/${number}`, { ...sourceInfo('audio'), number, id: `t${number}` })
  events.length = 0
  const tick = (nowMs: number): void => {
    lanes.tick(nowMs)
    pass(timing.release())
  }
  const timesOf = (csrc: number) => passed.filter(({ source }) => source === `csrc:${csrc}`).map(({ atMs }) => atMs)
  return { lanes, passed, live, events, timesOf, tick, pause: () => pass(timing.restart()) }
}
