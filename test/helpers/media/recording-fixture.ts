// A recording with a clock set by hand and synthetic frames.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openRecording, type Recording, type RecordingOptions } from '../../../src/bot/capture/recording.ts'
import type { SourceInfo } from '../../../src/bot/capture/source/source-info.ts'
import type { WireFrame } from '../../../src/bot/capture/wire.ts'
import { tracksOf } from '../../../src/domain/recording.ts'
import { nextSession, readManifest } from './manifest.ts'

export const WALL_MS = Date.parse('2026-01-02T03:04:05Z')
const folders: string[] = []

export function clearFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

export const sourceInfo = (kind: 'audio' | 'video'): SourceInfo => ({
  number: 1,
  id: 'x',
  kind,
  codec: '',
  label: '',
  streamId: '',
  mid: '',
  way: 'transform',
  ref: { kind: 'track', id: 'x' },
})
export const PLAIN = {
  track: 1,
  first: false,
  sequence: null,
  ssrc: 7,
  csrc: 0,
  mixes: [],
  audioLevel: 70,
  width: 0,
  height: 0,
  key: true,
} as const

export async function openRecordingFixture(more: Partial<RecordingOptions> & { folder?: string } = {}) {
  const folder = more.folder ?? mkdtempSync(path.join(tmpdir(), 'recording-'))
  if (!more.folder) folders.push(folder)
  const clock = { ms: 5_000 }
  const asked: string[] = []
  const recording = await openRecording({
    now: () => clock.ms,
    wallClock: () => WALL_MS + clock.ms - 5_000,
    requestKeyFrame: (source) => asked.push(`${source}@${clock.ms - 5_000}`),
    session: nextSession(folder),
    ...more,
    folder,
  })
  const facts = () => readManifest(folder).facts
  return { recording, folder, asked, facts, tracks: () => tracksOf({ facts: facts() }), to: (ms: number) => (clock.ms = 5_000 + ms) }
}
export type RecordingFixture = Awaited<ReturnType<typeof openRecordingFixture>>

export function audio(recording: Recording, atMs: number, more: Partial<WireFrame> = {}): void {
  const payload = Uint8Array.of(0x78, 1, 2, 3)
  recording.frame('a', { ...PLAIN, kind: 'audio', codec: 'opus', rtpTimestamp: (atMs * 48) >>> 0, receivedMs: 0, payload, ...more }, atMs)
}

export function video(recording: Recording, atMs: number, more: Partial<WireFrame> = {}): void {
  const frame = {
    ...PLAIN,
    kind: 'video',
    codec: 'vp8',
    rtpTimestamp: (atMs * 90) >>> 0,
    receivedMs: 0,
    key: false,
    width: 64,
    height: 48,
  } as const
  recording.frame('v', { ...frame, payload: new Uint8Array(40), ...more }, atMs)
}

/** Audio and video for a while: a packet every 20 ms, a frame every 100 ms. */
export function play({ recording, to }: RecordingFixture, fromMs: number, untilMs: number, keyAt: readonly number[] = [fromMs]): void {
  for (let at = fromMs; at < untilMs; at += 20) {
    to(at)
    audio(recording, at)
    if (at % 100 === 0) video(recording, at, { key: keyAt.includes(at) })
  }
  to(untilMs)
}

export async function playing(): Promise<RecordingFixture> {
  const bed = await openRecordingFixture()
  bed.recording.track('a', sourceInfo('audio'))
  bed.recording.track('v', sourceInfo('video'))
  return bed
}
