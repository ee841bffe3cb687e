// A recording of four people that is an hour long and made in seconds: a minute of media, repeated at later times.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { privateData } from '../../src/bot/capture/codec.ts'
import { MatroskaWriter } from '../../src/bot/capture/write/segment.ts'
import { type ManifestFact, manifestLine, manifestName } from '../../src/domain/recording.ts'
import { type Packet, readMatroska } from '../../src/kit/matroska/reader.ts'
import { conversation } from '../cost/conversation.ts'

const LOOP_MS = 60_000
const MINUTE_MS = 60_000
const SEGMENT_MS = 10_000
export const NAMES = { ann: 'Ann Archer', bob: 'Bob Baker', cy: 'Cy Carter', dot: 'Dot Dyer' }
const PEOPLE = Object.keys(NAMES)
export const STARTED_AT = '2026-01-02T03:04:05.000Z'
export const MANIFEST = manifestName(1)

type Size = { readonly width: number; readonly height: number }
type Media = { readonly codec: 'opus' | 'vp8' | 'h264'; readonly size: Size; readonly packets: readonly Packet[] }

/** What people send. `h264` has the size of the composed video, and turns that last for some key frames. */
export const CAMERAS: Readonly<Record<'vp8' | 'h264', Cameras>> = {
  vp8: {
    codec: 'vp8',
    size: { width: 640, height: 360 },
    turnMs: 6_000,
    options: '-c:v libvpx -deadline realtime -cpu-used 8 -b:v 600k -maxrate 800k -bufsize 800k',
  },
  h264: {
    codec: 'h264',
    size: { width: 1280, height: 720 },
    turnMs: 24_000,
    options: '-c:v libx264 -profile:v baseline -preset veryfast -tune zerolatency -b:v 1500k -x264-params repeat-headers=1:scenecut=0',
  },
}
type Cameras = { readonly codec: 'vp8' | 'h264'; readonly size: Size; readonly turnMs: number; readonly options: string }

export type Maker = (folder: string, minutes: number) => void

/** Encodes the media once, and returns a writer of recordings of any length. */
export async function preparedMeeting(cameras: Cameras = CAMERAS.vp8): Promise<Maker> {
  const talks = await conversation()
  const media = PEOPLE.map((_, index) => ({ voice: voiceOf(talks[index] ?? ''), camera: cameraOf(index, cameras) }))
  return (folder, minutes) => {
    mkdirSync(folder, { recursive: true })
    const facts: ManifestFact[] = [{ fact: 'started', wallClock: STARTED_AT, monotonicZeroMs: 0 }]
    media.forEach(({ voice, camera }, index) => {
      facts.push(...trackOf(folder, { id: `1-${index * 2 + 1}`, owner: index, kind: 'audio', media: voice }, minutes))
      facts.push(...trackOf(folder, { id: `1-${index * 2 + 2}`, owner: index, kind: 'camera', media: camera }, minutes))
    })
    facts.push(...turns(minutes, cameras.turnMs), { fact: 'ended', atMs: minutes * MINUTE_MS, reason: 'left' })
    writeFileSync(path.join(folder, MANIFEST), facts.map(manifestLine).join(''))
  }
}

type TrackOrder = { readonly id: string; readonly owner: number; readonly kind: 'audio' | 'camera'; readonly media: Media }

function trackOf(folder: string, { id, owner, kind, media }: TrackOrder, minutes: number): readonly ManifestFact[] {
  const { codec, size, packets } = media
  const facts: ManifestFact[] = [{ fact: 'track', trackId: id, participantId: PEOPLE[owner] ?? '', kind, codec }]
  for (let index = 0; index < (minutes * MINUTE_MS) / SEGMENT_MS; index++) {
    const startMs = index * SEGMENT_MS
    const inLoopMs = startMs % LOOP_MS
    const part = packets.filter(({ atMs }) => atMs >= inLoopMs && atMs < inLoopMs + SEGMENT_MS)
    const writer = new MatroskaWriter({ codec, ...size, codecPrivate: privateData(codec, part[0]?.data ?? new Uint8Array()) })
    const bytes = Buffer.concat(part.map(({ atMs, key, data }) => writer.frame(atMs - inLoopMs + startMs, key, data)))
    const file = `${id}-${String(index).padStart(5, '0')}.mkv`
    writeFileSync(path.join(folder, file), bytes)
    const extent = {
      endMs: startMs + SEGMENT_MS,
      bytes: bytes.length,
      frames: part.length,
      keyFrames: part.filter(({ key }) => key).length,
    }
    facts.push({ fact: 'segment', trackId: id, index, file, startMs, codec, ...size, continues: false, ...extent })
  }
  return facts
}

/** Each speaks in turn. */
function turns(minutes: number, turnMs: number): readonly ManifestFact[] {
  return Array.from({ length: (minutes * MINUTE_MS) / turnMs }, (_, index) => {
    const owner = index % PEOPLE.length
    const fromMs = index * turnMs
    return { fact: 'speech', trackId: `1-${owner * 2 + 1}`, participantId: PEOPLE[owner] ?? '', fromMs, toMs: fromMs + turnMs - 500 }
  })
}

/** The share of one person in a conversation, as a WAV file in base64. */
function voiceOf(talk: string): Media {
  const input = ['-f', 'wav', '-i', 'pipe:0', '-t', String(LOOP_MS / 1000)]
  const packets = encode([...input, '-ar', '48000', '-c:a', 'libopus', '-b:a', '32k'], Buffer.from(talk, 'base64'))
  return { codec: 'opus', size: { width: 0, height: 0 }, packets }
}

/** A face before a wall: a fifth of the frame moves, and the noise of the camera covers all of it. */
function cameraOf(index: number, { codec, size, options }: Cameras): Media {
  const { width, height } = size
  const wall = `color=c=0x${index + 3}04858:s=${width}x${height}:r=15:d=${LOOP_MS / 1000}[wall]`
  const head = `testsrc2=s=${width * 0.28125}x${(height * 2) / 3}:r=15:d=${LOOP_MS / 1000}[head]`
  const place = `x='${width}*(0.36+0.047*sin(t+${index}))':y='${height}*(0.28+0.028*sin(2*t))'`
  const source = `${wall};${head};[wall][head]overlay=${place},noise=alls=5:allf=t,format=yuv420p`
  const packets = encode(['-f', 'lavfi', '-i', source, ...options.split(' '), '-g', '150'])
  return { codec, size, packets: codec === 'h264' ? packets.map(asSent) : packets }
}

/** H.264 with start codes instead of lengths. */
function asSent({ data, ...packet }: Packet): Packet {
  const bytes = Buffer.from(data)
  for (let at = 0, length = 0; at + 4 < bytes.length; at += 4 + length) {
    length = bytes.readUInt32BE(at)
    bytes.writeUInt32BE(1, at)
  }
  return { ...packet, data: bytes }
}

function encode(args: readonly string[], input = Buffer.alloc(0)): readonly Packet[] {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-nostdin', ...args, '-f', 'matroska', '-'], {
    maxBuffer: 256 * 1024 * 1024,
    input,
  })
  if (status !== 0) throw new Error(`bench: ffmpeg: ${stderr}`)
  return readMatroska(stdout)?.packets ?? []
}
