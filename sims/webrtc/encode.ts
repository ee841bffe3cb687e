// Audio and video encoded in advance by ffmpeg: Opus packets of 20 ms with their loudness, and VP8 frames of one colour.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpusDecoder } from 'opus-decoder'
import type { PictureSize } from './types.ts'

/** `level` is dB below full scale, 0 to 127, as in RFC 6464. */
export type SoundPacket = { readonly opus: Buffer; readonly level: number }
/** Only the first frame is a key frame. */
export type Picture = PictureSize & { readonly frames: readonly Buffer[] }

export const PACKET_MS = 20
export const PACKETS_PER_FRAME = 3
const SILENCE_LEVEL = 127
/** Louder than this many dB below full scale is speech. */
export const SPEECH_LEVEL = 55
/** The Opus frame of silence that encoders send. */
export const SILENCE: SoundPacket = { opus: Buffer.from([0xf8, 0xff, 0xfe]), level: SILENCE_LEVEL }

const RATE = 48_000
export const SAMPLES_PER_PACKET = (RATE * PACKET_MS) / 1000
const FRAMES_PER_SECOND = `${1000 / PACKET_MS}/${PACKETS_PER_FRAME}`
const FRAMES = 25
const CACHE = join(tmpdir(), 'emissary-meet-media')
const OPUS = [
  '-ac',
  '1',
  '-ar',
  String(RATE),
  '-c:a',
  'libopus',
  '-b:a',
  '32k',
  '-frame_duration',
  String(PACKET_MS),
  '-f',
  'ogg',
  'pipe:1',
]
const VP8 = ['-pix_fmt', 'yuv420p', '-c:v', 'libvpx', '-b:v', '300k', '-deadline', 'realtime', '-cpu-used', '-16', '-threads', '1']
const NO_HIDDEN_FRAMES = ['-auto-alt-ref', '0', '-lag-in-frames', '0', '-g', String(FRAMES * 2)]

const made = new Map<string, Promise<Buffer>>()

export function soundOf(wav: Buffer): Promise<readonly SoundPacket[]> {
  return packetsOf(['-i', 'pipe:0'], wav)
}

/** One second from the middle, which loops without a seam. */
export async function toneOf(hertz: number): Promise<readonly SoundPacket[]> {
  const source = ['-f', 'lavfi', '-i', `sine=frequency=${Math.round(hertz)}:sample_rate=${RATE}:duration=3`, '-af', 'volume=6dB']
  const second = 1000 / PACKET_MS
  return (await packetsOf(source)).slice(second, 2 * second)
}

/** Half a second of a tone of 2000 Hz above another one. */
export function clapOf(hertz: number): Promise<readonly SoundPacket[]> {
  const samples = `0.2*sin(2*PI*${hertz}*t)+0.4*sin(2*PI*2000*t)`
  return packetsOf(['-f', 'lavfi', '-i', `aevalsrc='${samples}':s=${RATE}:d=0.5`])
}

export async function pictureOf(colour: string, { width, height }: PictureSize): Promise<Picture> {
  const source = ['-f', 'lavfi', '-i', `color=c=${colour}:s=${width}x${height}:r=${FRAMES_PER_SECOND}`, '-frames:v', String(FRAMES)]
  const file = await encoded([...source, ...VP8, ...NO_HIDDEN_FRAMES, '-f', 'ivf', 'pipe:1'])
  return { width, height, frames: ivfFrames(file) }
}

async function packetsOf(source: readonly string[], input?: Buffer): Promise<readonly SoundPacket[]> {
  // The first two packets are the Opus head and the tags.
  const packets = oggPackets(await encoded([...source, ...OPUS], input)).slice(2)
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  try {
    return packets.map((opus) => ({ opus, level: levelOf(decoder.decodeFrame(opus).channelData[0] ?? new Float32Array()) }))
  } finally {
    decoder.free()
  }
}

function levelOf(samples: Float32Array): number {
  const energy = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
  if (!(energy > 0)) return SILENCE_LEVEL
  return Math.min(SILENCE_LEVEL, Math.max(0, Math.round(-10 * Math.log10(energy))))
}

/** The output of ffmpeg, cached also for later processes. */
function encoded(words: readonly string[], input?: Buffer): Promise<Buffer> {
  const hash = createHash('sha256').update(JSON.stringify(words))
  const key = hash.update(input ?? '').digest('hex')
  const known = made.get(key) ?? stored(key, words, input)
  made.set(key, known)
  known.catch(() => made.delete(key))
  return known
}

async function stored(key: string, words: readonly string[], input?: Buffer): Promise<Buffer> {
  const file = join(CACHE, key)
  const found = await readFile(file).catch(() => null)
  if (found) return found

  const bytes = await ffmpeg(words, input)
  await mkdir(CACHE, { recursive: true })
  // Written to another name and moved, so that no reader gets half a file.
  await writeFile(`${file}.${process.pid}`, bytes)
  await rename(`${file}.${process.pid}`, file)
  return bytes
}

/** Runs ffmpeg with these arguments and returns its output. */
export function ffmpeg(words: readonly string[], input?: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('ffmpeg', ['-v', 'error', ...words], { stdio: 'pipe' })
    const [out, complaints]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes))
    child.stderr.on('data', (bytes: Buffer) => complaints.push(bytes))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out))
      else reject(new Error(`ffmpeg ${words.join(' ')}: ${Buffer.concat(complaints)}`))
    })
    // ffmpeg may stop reading early. Its exit code reports real errors.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** Ogg pages consist of segments. A segment of 255 bytes continues in the next one, also across pages. */
export function oggPackets(file: Buffer): Buffer[] {
  const packets: Buffer[] = []
  let begun: Buffer[] = []
  for (let page = 0; page < file.length; ) {
    const segments = file.readUInt8(page + 26)
    let at = page + 27 + segments
    for (const length of file.subarray(page + 27, page + 27 + segments)) {
      begun.push(file.subarray(at, at + length))
      at += length
      if (length === 255) continue
      packets.push(Buffer.concat(begun))
      begun = []
    }
    page = at
  }
  return packets
}

function ivfFrames(file: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = file.readUInt16LE(6); at < file.length; ) {
    const length = file.readUInt32LE(at)
    frames.push(file.subarray(at + 12, at + 12 + length))
    at += 12 + length
  }
  return frames
}
