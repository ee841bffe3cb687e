// Real Opus packets of a tone, as the page forwards them, and a measure of decoded samples.
import { spawnSync } from 'node:child_process'
import { oggPackets } from '../../../sims/webrtc/encode.ts'
import type { WireFrame } from '../../../src/bot/capture/wire.ts'

const RATE = 48_000

/** A tone of amplitude 0.125, in packets of `packetMs`. */
export function tonePackets({ toneHz, seconds, packetMs = 20, channels = 1 }: Tone): readonly Buffer[] {
  const input = ['-f', 'lavfi', '-i', `sine=frequency=${toneHz}:sample_rate=${RATE}:duration=${seconds}`, '-ac', String(channels)]
  const output = ['-c:a', 'libopus', '-b:a', '48k', '-frame_duration', String(packetMs), '-f', 'ogg', '-']
  // The first two packets are the Opus head and the tags.
  return oggPackets(run('ffmpeg', ['-v', 'error', ...input, ...output])).slice(2)
}

function run(program: string, words: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync(program, words, { maxBuffer: 64 * 1024 * 1024 })
  if (status !== 0) throw new Error(`${program}: ${stderr}`)
  return stdout
}

type Tone = { readonly toneHz: number; readonly seconds: number; readonly packetMs?: number; readonly channels?: number }

export function wireFrame(payload: Uint8Array, more: Partial<WireFrame> = {}): WireFrame {
  return {
    kind: 'audio',
    track: 1,
    codec: 'opus',
    key: true,
    first: false,
    rtpTimestamp: 0,
    sequence: 0,
    ssrc: 7,
    csrc: 0,
    mixes: [],
    receivedMs: 0,
    audioLevel: 20,
    width: 0,
    height: 0,
    payload,
    ...more,
  }
}

/** Numbered and timed as a sender does it, across the wrap of both counters. */
export function numbered(packets: readonly Uint8Array[], packetMs = 20): readonly WireFrame[] {
  return packets.map((payload, index) =>
    wireFrame(payload, {
      sequence: (0xfff0 + index) & 0xffff,
      rtpTimestamp: (0xffff_f000 + index * packetMs * (RATE / 1000)) >>> 0,
    }),
  )
}

export type Loudness = { readonly hz: number; readonly amplitude: number }

/** The frequency of the samples, by counting rising zero crossings. */
export function toneOf(samples: Int16Array): Loudness {
  const rises: number[] = []
  let energy = 0
  for (let at = 0; at < samples.length; at++) {
    const [before = 0, now = 0] = [samples[at - 1], samples[at]]
    if (before < 0 && now >= 0) rises.push(at - now / (now - before))
    energy += (now / 32_768) ** 2
  }
  const [first = 0, last = 0] = [rises[0], rises.at(-1)]
  const hz = rises.length > 1 ? ((rises.length - 1) * RATE) / (last - first) : 0
  return { hz, amplitude: Math.sqrt((2 * energy) / Math.max(1, samples.length)) }
}

export function joined(frames: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(frames.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const frame of frames) {
    all.set(frame, at)
    at += frame.length
  }
  return all
}
