// Records what a visitor sends: Opus packets with their levels, and VP8 frames since the last key frame.
import { OpusDecoder } from 'opus-decoder'
import { ffmpeg } from './encode.ts'
import type { PictureSize, ReceivedAudio, ReceivedVideo } from './types.ts'

const RATE = 48_000
// A canvas is sent as BT.709 in full range, which VP8 does not signal.
const SMALLEST = 'scale=in_color_matrix=bt709:in_range=pc,format=rgb24,scale=1:1:flags=area'

export class AudioSink implements ReceivedAudio {
  readonly packets: { readonly atMs: number; readonly level: number | null; readonly opus: Buffer }[] = []

  add(opus: Buffer, level: number | null): void {
    this.packets.push({ atMs: Date.now(), level, opus })
  }

  async tone(fromMs = 0, toMs = Number.POSITIVE_INFINITY): Promise<{ readonly hz: number; readonly amplitude: number } | null> {
    const frames = this.packets.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ opus }) => opus)
    if (frames.length === 0) return null
    const decoder = new OpusDecoder()
    await decoder.ready
    try {
      return measured(decoder.decodeFrames(frames).channelData[0] ?? new Float32Array())
    } finally {
      decoder.free()
    }
  }
}

/** By counting rising zero crossings. */
function measured(samples: Float32Array): { readonly hz: number; readonly amplitude: number } {
  let [rises, energy, before] = [0, 0, 0]
  for (const sample of samples) {
    if (before < 0 && sample >= 0) rises++
    energy += sample * sample
    before = sample
  }
  const length = Math.max(1, samples.length)
  return { hz: (rises * RATE) / length, amplitude: Math.sqrt((2 * energy) / length) }
}

type Piece = { readonly sequence: number; readonly timestamp: number; readonly marker: boolean; readonly payload: Buffer }

export class VideoSink implements ReceivedVideo {
  frames = 0
  keyFrames = 0
  lastFrameAtMs: number | null = null
  #pieces: Piece[] = []
  #sequence: number | null = null
  /** The last key frame and all frames after it. */
  #sinceKey: Buffer[] = []

  /** Returns whether a key frame is needed to decode further frames. */
  add(piece: Piece): boolean {
    if (this.#sequence !== null && piece.sequence !== ((this.#sequence + 1) & 0xffff)) {
      this.#pieces = []
      this.#sinceKey = []
    }
    this.#sequence = piece.sequence
    this.#pieces.push(piece)
    if (!piece.marker) return false
    const frame = Buffer.concat(this.#pieces.filter(({ timestamp }) => timestamp === piece.timestamp).map(({ payload }) => vp8In(payload)))
    this.#pieces = []
    return !this.#keep(frame)
  }

  #keep(frame: Buffer): boolean {
    const isKey = isKeyFrame(frame)
    if (isKey) this.#sinceKey = []
    if (!isKey && this.#sinceKey.length === 0) return false
    this.#sinceKey.push(frame)
    this.frames++
    if (isKey) this.keyFrames++
    this.lastFrameAtMs = Date.now()
    return true
  }

  async look(): Promise<(PictureSize & { readonly rgb: readonly [number, number, number] }) | null> {
    const [key] = this.#sinceKey
    if (!key) return null
    const size = { width: key.readUInt16LE(6) & 0x3fff, height: key.readUInt16LE(8) & 0x3fff }
    const pixel = ['-vf', SMALLEST, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1']
    const pixels = await ffmpeg(['-f', 'ivf', '-i', 'pipe:0', ...pixel], ivf(this.#sinceKey, size))
    const [red, green, blue] = pixels.subarray(-3)
    return red === undefined || green === undefined || blue === undefined ? null : { ...size, rgb: [red, green, blue] }
  }
}

/** The lowest bit of the first byte is 0 in key frames. Their start code is 9d 01 2a. */
function isKeyFrame(frame: Buffer): boolean {
  return frame.length >= 10 && (frame.readUInt8(0) & 1) === 0 && frame.readUIntBE(3, 3) === 0x9d012a
}

/** Without the payload descriptor of RFC 7741, whose own bits define its length. */
function vp8In(payload: Buffer): Buffer {
  const first = payload[0] ?? 0
  if (!(first & 0x80)) return payload.subarray(1)
  const [extensions = 0, pictureId = 0] = payload.subarray(1)
  const pictureIdBytes = extensions & 0x80 ? (pictureId & 0x80 ? 2 : 1) : 0
  return payload.subarray(2 + pictureIdBytes + (extensions & 0x40 ? 1 : 0) + (extensions & 0x30 ? 1 : 0))
}

function ivf(frames: readonly Buffer[], { width, height }: PictureSize): Buffer {
  const head = Buffer.alloc(32)
  head.write('DKIF\0\0', 'latin1')
  head.writeUInt16LE(head.length, 6)
  head.write('VP80', 8, 'latin1')
  head.writeUInt16LE(width, 12)
  head.writeUInt16LE(height, 14)
  head.writeUInt32LE(30, 16)
  head.writeUInt32LE(1, 20)
  head.writeUInt32LE(frames.length, 24)
  const parts = frames.flatMap((frame, index) => {
    const frameHead = Buffer.alloc(12)
    frameHead.writeUInt32LE(frame.length)
    frameHead.writeUInt32LE(index, 4)
    return [frameHead, frame]
  })
  return Buffer.concat([head, ...parts])
}
