// How much of the audio that was sent to a bot is missing in its recording.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ManifestFact, type Track, tracksOf } from '../../src/domain/recording.ts'
import { readManifest } from '../../test/helpers/media/manifest.ts'
import type { Session } from './sessions.ts'

/** Milliseconds of the wall clock. */
export type Span = { readonly from: number; readonly to: number }

/** The spans of a recording with a person's audio. Segments in the manifest without a file do not count. */
export function spansIn(folder: string): readonly Span[] {
  const manifest = readManifest(folder)
  const here = tracksOf(manifest).map((track) => ({
    ...track,
    segments: track.segments.filter(({ file }) => existsSync(join(folder, file))),
  }))
  return spansOf(manifest.facts, here)
}

export function spansOf(facts: readonly ManifestFact[], tracks: readonly Track[]): readonly Span[] {
  const started = facts.find((fact) => fact.fact === 'started')
  const zero = started ? Date.parse(started.wallClock) : 0
  return tracks
    .filter(({ kind, participantId }) => kind === 'audio' && participantId !== null)
    .flatMap(({ segments }) => segments.map(({ startMs, endMs }) => ({ from: zero + startMs, to: zero + endMs })))
}

/** The spans in which audio was sent to the bot. */
export function sentSpans(sessions: readonly Session[], within: Span): readonly Span[] {
  return sessions
    .flatMap(({ audioFrom, to }) => (audioFrom === null ? [] : [overlap({ from: audioFrom, to: to ?? within.to }, within)]))
    .filter((it) => it !== null)
}

/** Milliseconds of `wanted` that no span of `there` covers. */
export function missingMs(wanted: readonly Span[], there: readonly Span[]): number {
  return wanted.reduce((sum, span) => sum + lengthOf(span) - coveredMs(span, there), 0)
}

function coveredMs(span: Span, there: readonly Span[]): number {
  let [covered, reached] = [0, span.from]
  for (const { from, to } of there.toSorted((a, b) => a.from - b.from)) {
    const part = overlap({ from: Math.max(from, reached), to }, span)
    if (!part) continue
    covered += lengthOf(part)
    reached = part.to
  }
  return covered
}

function overlap(a: Span, b: Span): Span | null {
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)]
  return from < to ? { from, to } : null
}

export function lengthOf({ from, to }: Span): number {
  return to - from
}
