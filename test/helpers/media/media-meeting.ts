// A synthetic meeting, recorded by the bot's own recorder: tones, colours and a clock set by hand.
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openRecording, type Recording } from '../../../src/bot/capture/recording.ts'
import { manifestName, tracksOf } from '../../../src/domain/recording.ts'
import { readMatroska } from '../../../src/kit/matroska/reader.ts'
import { type MediaPlan, type Person, planMedia } from '../../../src/service/media/plan.ts'
import type { Span } from '../../../src/service/media/span.ts'
import { nextSession, readManifest } from './manifest.ts'
import { PLAIN, sourceInfo, WALL_MS } from './recording-fixture.ts'

export type Colour = readonly [number, number, number]
type VideoCodec = 'vp8' | 'vp9' | 'h264'

/** One video of a single colour that turns white in its flashes. */
type Video = {
  readonly spans: readonly Span[]
  readonly colour: Colour
  readonly size: `${number}x${number}`
  readonly codec: VideoCodec
  /** Of H.264: other parameter sets than usual. */
  readonly hasOtherSets?: boolean
  readonly kind?: 'camera' | 'screen'
  readonly flashes?: readonly Span[]
  /** Default: always. Must begin at a whole second, which has a key frame. */
  readonly sends?: readonly Span[]
}

export type Actor = {
  readonly id: string
  readonly stays: readonly Span[]
  readonly toneHz: number
  /** The tone sounds then and counts as speech. */
  readonly tones: readonly Span[]
  readonly amplitude?: number
  readonly videos: readonly Video[]
}

export type Meeting = {
  readonly actors: readonly Actor[]
  readonly pauses?: readonly Span[]
  readonly fromMs?: number
  readonly toMs: number
}

const [STEP_MS, FPS] = [20, 25]
const folders: string[] = []
export const madeFolders = (): string[] => folders.splice(0)

export function newFolder(name = 'media-'): string {
  const folder = mkdtempSync(path.join(tmpdir(), name))
  folders.push(folder)
  return folder
}

type Feed = {
  readonly key: string
  readonly step: (atMs: number) => void
  readonly spans: readonly Span[]
  readonly kind: 'audio' | 'camera' | 'screen'
  readonly owner: string
}

/** Records the meeting into `folder`. `killedInto` gets the files as a kill at the last moment leaves them, with torn writes. */
export async function record(folder: string, meeting: Meeting, { killedInto }: { killedInto?: string } = {}): Promise<void> {
  const clock = { ms: meeting.fromMs ?? 0 }
  const recording = await openAt(clock, folder)
  const feeds = meeting.actors.flatMap((actor) => feedsOf(recording, actor, meeting.toMs))
  const open = new Set<string>()
  for (; clock.ms < meeting.toMs; clock.ms += STEP_MS) {
    pauseOrGoOn(recording, isIn(meeting.pauses ?? [], clock.ms))
    for (const feed of feeds) play(recording, feed, clock.ms, open)
    if (clock.ms % 1_000 === 0) await recording.sync()
  }
  await recording.sync()
  if (killedInto !== undefined) leaveTorn(folder, killedInto)
  await recording.end('left')
}

function pauseOrGoOn(recording: Recording, pause: boolean): void {
  if (pause) recording.pause()
  else recording.resume()
}

/** The last segments end in half an element, the manifest in half a line. */
function leaveTorn(folder: string, copy: string): void {
  cpSync(folder, copy, { recursive: true })
  for (const { segments } of tracksOf(readManifest(folder))) {
    const last = segments.at(-1)
    if (last && !last.closed) appendFileSync(path.join(copy, last.file), Buffer.from([0xa3, 0x41, 0x20, 0x81, 0, 0, 0x80, 1, 2, 3]))
  }
  appendFileSync(path.join(copy, manifestName(nextSession(copy) - 1)), '{"fact":"synced","segm')
}

export function planOf(folder: string, people: readonly Person[] = []): MediaPlan {
  return planMedia(readManifest(folder), people)
}

const isIn = (spans: readonly Span[], atMs: number): boolean => spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs)

function play(recording: Recording, { key, step, spans, kind, owner }: Feed, atMs: number, open: Set<string>): void {
  const isThere = isIn(spans, atMs)
  if (!isThere && open.delete(key)) recording.trackEnded(key)
  if (!isThere) return
  if (!open.has(key)) {
    open.add(key)
    recording.track(key, { ...sourceInfo(kind === 'audio' ? 'audio' : 'video'), id: key })
    recording.setOwner(key, owner, kind)
  }
  step(atMs)
}

function feedsOf(recording: Recording, actor: Actor, untilMs: number): readonly Feed[] {
  const packets = tone(actor, untilMs)
  const voice = `${actor.id}/voice`
  const audio = (atMs: number): void => {
    const payload = packets[Math.round(atMs / STEP_MS)]
    if (!payload) return
    const audioLevel = isIn(actor.tones, atMs) ? 20 : 70
    const frame = { ...PLAIN, kind: 'audio', codec: 'opus', rtpTimestamp: (atMs * 48) >>> 0, receivedMs: 0, audioLevel, payload } as const
    recording.frame(voice, frame, atMs)
  }
  const videos = actor.videos.map((video, index): Feed => {
    const key = `${actor.id}/video${index}`
    return { key, step: picturesOf(recording, key, video, untilMs), spans: video.spans, kind: video.kind ?? 'camera', owner: actor.id }
  })
  return [{ key: voice, step: audio, spans: actor.stays, kind: 'audio', owner: actor.id }, ...videos]
}

function picturesOf(recording: Recording, key: string, video: Video, untilMs: number): (atMs: number) => void {
  const { codec, size, sends = video.spans } = video
  const [width = 0, height = 0] = size.split('x').map(Number)
  const frames = encoded(video, untilMs)
  let sent = false
  return (atMs) => {
    const at = atMs / (1_000 / FPS)
    const frame = Number.isInteger(at) ? frames[at] : undefined
    // A real sender starts with a key frame.
    if (!frame || (!sent && !frame.key) || !isIn(sends, atMs)) return
    sent = true
    const shape = { kind: 'video', codec, rtpTimestamp: (atMs * 90) >>> 0, receivedMs: 0, width, height } as const
    recording.frame(key, { ...PLAIN, ...shape, key: frame.key, payload: frame.payload }, atMs)
  }
}

const made = new Map<string, unknown>()

/** Equal media is encoded once. */
function cached<Made>(what: unknown, make: () => Made): Made {
  const key = JSON.stringify(what)
  if (!made.has(key)) made.set(key, make())
  return made.get(key) as Made
}

function tone({ toneHz, tones, amplitude = 0.2 }: Actor, untilMs: number): readonly Uint8Array[] {
  return cached(['tone', toneHz, tones, amplitude, untilMs], () => {
    const source = `aevalsrc='${amplitude}*sin(2*PI*${toneHz}*t)*(${during(tones)})':s=48000:d=${untilMs / 1000}`
    const file = run(['-f', 'lavfi', '-i', source, '-c:a', 'libopus', '-b:a', '48k', '-frame_duration', '20', '-f', 'matroska', '-'])
    return readMatroska(file)?.packets.map(({ data }) => data) ?? []
  })
}

type Encoded = { readonly key: boolean; readonly payload: Uint8Array }

const ENCODERS: Readonly<Record<VideoCodec, readonly string[]>> = {
  vp8: ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '300k'],
  vp9: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '300k'],
  h264: ['-c:v', 'libx264', '-preset', 'ultrafast', '-tune', 'zerolatency', '-bf', '0', '-x264-params', 'repeat-headers=1', '-crf', '24'],
}

/** As a browser sends it: BT.709 in full range, without a mark that says so. */
function encoded({ colour, size, codec, hasOtherSets = false, flashes = [] }: Video, untilMs: number): readonly Encoded[] {
  return cached(['video', colour, size, codec, hasOtherSets, flashes, untilMs], () => {
    const hex = `0x${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    const source = `color=c=${hex}:s=${size}:r=${FPS}:d=${untilMs / 1000},format=rgb24`
    const flash = flashes.length > 0 ? `drawbox=c=white:t=fill:enable='${during(flashes)}',` : ''
    const filter = `${flash}scale=out_color_matrix=bt709:out_range=pc,format=yuv420p,setparams=range=unknown:colorspace=unknown`
    const encoder = hasOtherSets ? [...ENCODERS[codec], '-refs', '3'] : ENCODERS[codec]
    const args = ['-f', 'lavfi', '-i', source, '-vf', filter, ...encoder, '-g', String(FPS), '-f', 'matroska', '-']
    const packets = readMatroska(run(args))?.packets ?? []
    return packets.map(({ key, data }) => ({ key, payload: codec === 'h264' ? annexB(data) : data }))
  })
}

const during = (spans: readonly Span[]): string =>
  spans.map(({ fromMs, toMs }) => `gte(t,${fromMs / 1000})*lt(t,${toMs / 1000})`).join('+') || '0'

/** Start codes instead of lengths, as on the wire. */
function annexB(data: Uint8Array): Uint8Array {
  const bytes = Buffer.from(data)
  for (let at = 0; at + 4 < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    bytes.writeUInt32BE(1, at)
    at += 4 + length
  }
  return bytes
}

/** A recording on a clock that the caller moves. */
function openAt(clock: { readonly ms: number }, folder: string): ReturnType<typeof openRecording> {
  const session = nextSession(folder)
  return openRecording({ folder, session, requestKeyFrame: () => undefined, now: () => clock.ms, wallClock: () => WALL_MS + clock.ms })
}

/** One person whose page wrote the containers: a tone from half a second on, and a colour, for two seconds. */
export async function recordChunks(
  folder: string,
  { startMs, toneHz, colour }: { startMs: number; toneHz: number; colour: Colour },
): Promise<void> {
  const clock = { ms: 0 }
  const recording = await openAt(clock, folder)
  const hex = `0x${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
  const live = ['-f', 'webm', '-live', '1', '-cluster_time_limit', '500', '-']
  const files = {
    audio: run(['-f', 'lavfi', '-i', `aevalsrc='0.2*sin(2*PI*${toneHz}*t)*gte(t,0.5)':s=48000:d=2`, '-c:a', 'libopus', ...live]),
    video: run([
      '-f',
      'lavfi',
      '-i',
      `color=c=${hex}:s=64x36:r=${FPS}:d=2,format=rgb24,scale=out_color_matrix=bt709:out_range=pc,format=yuv420p`,
      '-c:v',
      'libvpx',
      ...live,
    ]),
  }
  clock.ms = startMs
  for (const kind of ['audio', 'video'] as const) {
    recording.track(kind, { ...sourceInfo(kind), way: 'recorder' })
    recording.setOwner(kind, 'ann', kind === 'audio' ? 'audio' : 'camera')
    const half = files[kind].length >> 1
    const chunk = { ...PLAIN, kind: 'chunk', codec: 'webm', rtpTimestamp: 0, receivedMs: 0 } as const
    recording.frame(kind, { ...chunk, first: true, payload: files[kind].subarray(0, half) }, startMs)
    recording.frame(kind, { ...chunk, payload: files[kind].subarray(half) }, startMs + 2_000)
  }
  clock.ms = startMs + 2_000
  await recording.end('left')
}

function run(args: readonly string[]): Buffer {
  const { status, stdout, stderr } = spawnSync('ffmpeg', ['-v', 'error', '-nostdin', ...args], { maxBuffer: 256 * 1024 * 1024 })
  if (status !== 0) throw new Error(`ffmpeg: ${stderr}`)
  return stdout
}
