// Audio as samples: 48 kHz, mono, in frames of 20 ms that a mixer can add.
import { ffmpeg, PACKET_MS } from './encode.ts'

const RATE = 48_000
export const FRAME_SAMPLES = (RATE * PACKET_MS) / 1000
const TONE_AMPLITUDE = 0.25
const FULL_SCALE = 32_767
const SILENCE_LEVEL = 127

/** The last frame is padded with silence. */
export async function framesOfWav(wav: Buffer): Promise<readonly Int16Array[]> {
  const bytes = await ffmpeg(['-i', 'pipe:0', '-ac', '1', '-ar', String(RATE), '-f', 's16le', 'pipe:1'], wav)
  const samples = new Int16Array(Math.ceil(bytes.length / 2 / FRAME_SAMPLES) * FRAME_SAMPLES)
  for (let at = 0; at * 2 + 1 < bytes.length; at++) samples[at] = bytes.readInt16LE(at * 2)
  return framesOf(samples)
}

/** One second, which loops without a seam because the frequency is a whole number. */
export function framesOfTone(hertz: number): readonly Int16Array[] {
  const step = (2 * Math.PI * Math.round(hertz)) / RATE
  return framesOf(Int16Array.from({ length: RATE }, (_, at) => Math.round(FULL_SCALE * TONE_AMPLITUDE * Math.sin(step * at))))
}

function framesOf(samples: Int16Array): readonly Int16Array[] {
  return Array.from({ length: samples.length / FRAME_SAMPLES }, (_, at) => samples.subarray(at * FRAME_SAMPLES, (at + 1) * FRAME_SAMPLES))
}

export function mixed(frames: readonly Int16Array[]): Int16Array {
  const sum = new Int16Array(FRAME_SAMPLES)
  for (let at = 0; at < FRAME_SAMPLES; at++) {
    const value = frames.reduce((total, frame) => total + (frame[at] ?? 0), 0)
    sum[at] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE, value))
  }
  return sum
}

/** dB below full scale, 0 to 127. */
export function levelOf(frame: Int16Array): number {
  const energy = frame.reduce((sum, sample) => sum + (sample / FULL_SCALE) ** 2, 0) / frame.length
  return energy > 0 ? Math.min(SILENCE_LEVEL, Math.max(0, Math.round(-10 * Math.log10(energy)))) : SILENCE_LEVEL
}
