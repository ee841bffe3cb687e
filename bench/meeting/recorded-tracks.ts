// The tracks that a bot has recorded, and their length at any moment, by the manifest's entry of about every second.
import { join } from 'node:path'
import { type ManifestFact, type SyncedSegment, tracksOf } from '../../src/domain/recording.ts'
import { readManifest } from '../../test/helpers/media/manifest.ts'
import type { BenchServer } from '../harness/server.ts'

type Point = { readonly atMs: number; readonly frames: number }

export type RecordedTrack = {
  readonly kind: 'audio' | 'video'
  readonly seconds: number
  /** The end of the track by the wall clock. */
  readonly untilMs: number
  /** Frames recorded until this moment of the wall clock, interpolated between two manifest entries. */
  framesAt(wallMs: number): number
  /** Seconds of its segments between two moments of the wall clock. */
  secondsBetween(fromMs: number, toMs: number): number
}

export type Recorded = { readonly tracks: readonly RecordedTrack[]; readonly gaps: number }

export function recordedBy({ folder }: BenchServer, bot: string): Recorded {
  const manifest = readManifest(join(folder, 'recordings', bot))
  const { facts } = manifest
  const started = facts.find((fact) => fact.fact === 'started')
  const zeroMs = started ? Date.parse(started.wallClock) : 0
  const tracks = tracksOf(manifest)
    .filter(({ segments, participantId, mix }) => segments.length > 0 && (participantId !== null || mix))
    .map(({ trackId, kind, totalSeconds, segments }): RecordedTrack => {
      const points = pointsOf(facts, trackId)
      return {
        kind: kind === 'audio' ? 'audio' : 'video',
        seconds: totalSeconds,
        untilMs: zeroMs + (points.at(-1)?.atMs ?? 0),
        framesAt: (wallMs) => between(points, wallMs - zeroMs),
        secondsBetween: (fromMs, toMs) =>
          segments.reduce((sum, { startMs, endMs }) => {
            return sum + Math.max(0, Math.min(endMs, toMs - zeroMs) - Math.max(startMs, fromMs - zeroMs)) / 1_000
          }, 0),
      }
    })
  return { tracks, gaps: facts.filter(({ fact }) => fact === 'gap').length }
}

/** A segment may be opened in the manifest before the previous one is closed. The final count of each segment applies. */
function pointsOf(facts: readonly ManifestFact[], trackId: string): readonly Point[] {
  const extents = facts.flatMap(extentsIn).filter((it) => it.trackId === trackId)
  const inTheEnd = new Map(extents.map(({ index, frames }) => [index, frames]))
  const framesBefore = (index: number) => [...inTheEnd].reduce((sum, [at, frames]) => sum + (at < index ? frames : 0), 0)
  return extents.map(({ index, frames, endMs }) => ({ atMs: endMs, frames: framesBefore(index) + frames })).sort((a, b) => a.atMs - b.atMs)
}

type Extent = Pick<SyncedSegment, 'trackId' | 'index' | 'frames' | 'endMs'>

function extentsIn(fact: ManifestFact): readonly Extent[] {
  if (fact.fact === 'synced') return fact.segments
  if (fact.fact === 'segment') return [fact]
  return fact.fact === 'opened' ? [{ ...fact, frames: 0, endMs: fact.startMs }] : []
}

function between(points: readonly Point[], atMs: number): number {
  const after = points.find((point) => point.atMs >= atMs)
  const before = points.findLast((point) => point.atMs < atMs)
  if (!after || !before) return before?.frames ?? 0
  return before.frames + ((after.frames - before.frames) * (atMs - before.atMs)) / (after.atMs - before.atMs)
}
