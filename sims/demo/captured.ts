// What a bot left on the disk, said person by person.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseManifest, type Track, type TrackKind, tracksOf } from '../../src/domain/recording.ts'

export type Captured = {
  readonly participants: readonly { readonly name: string; readonly audio_seconds: number; readonly video_seconds: number }[]
  /** What it is, and the absolute path. */
  readonly files: Readonly<Record<string, string>>
  readonly bytes: number
}

type Person = { readonly deviceId: string; readonly displayName: string }

export async function capturedIn(folder: string, people: readonly Person[]): Promise<Captured> {
  const manifest = join(folder, 'manifest.jsonl')
  const tracks = tracksOf(parseManifest(await readFile(manifest, 'utf8')))
  const participants = people.map(({ deviceId, displayName: name }) => {
    const seconds = (kind: TrackKind) =>
      round(
        sum(
          tracks.filter((it) => it.participantId === deviceId && it.kind === kind),
          'totalSeconds',
        ),
      )
    return { name, audio_seconds: seconds('audio'), video_seconds: seconds('camera') }
  })
  const named = new Map(people.map(({ deviceId, displayName }) => [deviceId, displayName]))
  const files = tracks.flatMap(({ participantId, kind, segments }) =>
    segments.map(({ file, index }) => [`${named.get(participantId ?? '') ?? 'unknown'} ${kind} ${index + 1}`, join(folder, file)]),
  )
  const bytes = tracks.flatMap(({ segments }) => segments).reduce((all, segment) => all + segment.bytes, 0)
  return { participants, files: Object.fromEntries([['manifest', manifest], ...files]), bytes }
}

function sum(tracks: readonly Track[], field: 'totalSeconds'): number {
  return tracks.reduce((all, track) => all + track[field], 0)
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
