// A lane as an SFU sends it: numbered Opus packets with the CSRC of their speaker.
import type { Lanes } from '../../src/bot/capture/demultiplex/lanes.ts'
import type { WireFrame } from '../../src/bot/capture/wire.ts'
import { PLAIN } from './recording-fixture.ts'

export const [ADA, BEN, CY] = [101, 102, 103]
/** An Opus packet of 20 ms whose bytes encode its time. */
const payloadAt = (atMs: number) => Uint8Array.of(0x78, atMs >> 16, atMs >> 8, atMs)

/** Counters start anywhere. `delayMs` is the network delay. */
export function sender(lanes: Lanes, lane: string, { ssrc = 1, sequence = 0xfff0, rtp = 0xffff_0000, delayMs = 30 } = {}) {
  let sent = 0
  const frameAt = (atMs: number, csrc: number, more: Partial<WireFrame> = {}): WireFrame => ({
    ...PLAIN,
    ...{ kind: 'audio', codec: 'opus', receivedMs: 0, payload: payloadAt(atMs), ssrc, csrc, audioLevel: 20 },
    sequence: (sequence + sent++) & 0xffff,
    rtpTimestamp: (rtp + atMs * 48) >>> 0,
    ...more,
  })
  const send = (atMs: number, csrc: number, more: { readonly lateMs?: number; readonly level?: number } = {}): void => {
    const frame = frameAt(atMs, csrc, { audioLevel: more.level ?? 20 })
    lanes.push(lane, frame, atMs + delayMs + (more.lateMs ?? 0))
  }
  const speak = (csrc: number, fromMs: number, toMs: number): void => {
    for (let at = fromMs; at < toMs; at += 20) send(at, csrc)
  }
  return { frameAt, send, speak }
}
