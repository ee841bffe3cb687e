// The loudness and the tones of the last moment of received audio.
import { OpusDecoder } from 'opus-decoder'
import { PACKET_MS } from '../webrtc/encode.ts'
import type { AudioSink } from '../webrtc/received.ts'

const RATE = 48_000
const MOMENT_MS = 180
/** The decoder needs earlier packets to be exact. */
const LEAD_IN_MS = 200

export type LastMoment = { readonly rms: number; readonly at: Readonly<Record<string, number>> }

export async function measureLastMoment({ packets }: AudioSink, frequencies: readonly number[]): Promise<LastMoment> {
  const nowMs = Date.now()
  const recent = packets.filter(({ atMs }) => atMs > nowMs - MOMENT_MS - LEAD_IN_MS)
  const count = recent.filter(({ atMs }) => atMs > nowMs - MOMENT_MS).length
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  try {
    const all = decoder.decodeFrames(recent.map(({ opus }) => opus)).channelData[0] ?? new Float32Array()
    const samples = count === 0 ? new Float32Array() : all.subarray(-((count * RATE * PACKET_MS) / 1000))
    const length = (MOMENT_MS / 1000) * RATE
    const energy = samples.reduce((sum, it) => sum + it * it, 0)
    return { rms: Math.sqrt(energy / length), at: Object.fromEntries(frequencies.map((hz) => [hz, amplitudeAt(hz, samples)])) }
  } finally {
    decoder.free()
  }
}

function amplitudeAt(hz: number, samples: Float32Array): number {
  let [real, imaginary] = [0, 0]
  for (const [index, sample] of samples.entries()) {
    const angle = (2 * Math.PI * hz * index) / RATE
    real += sample * Math.cos(angle)
    imaginary += sample * Math.sin(angle)
  }
  return (2 * Math.hypot(real, imaginary)) / Math.max(1, samples.length)
}
