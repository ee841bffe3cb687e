// How much of the sound that was sent to a bot is missing from its recording.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { tracksOf } from '../../src/domain/recording.ts'
import { readManifest } from '../../test/helpers/manifest.ts'
import type { Session } from './sessions.ts'

/** Moments of the wall clock in milliseconds. */
export type Span = { readonly from: number; readonly to: number }

/** Where the recording in a folder has sound of a person. What its manifest tells of and no file holds is not there. */
export function spansIn(folder: string): readonly Span[] {
  const manifest = readManifest(folder)
  const started = manifest.facts.find((fact) => fact.fact === 'started')
  const zero = started ? Date.parse(started.wallClock) : 0
  return tracksOf(manifest)
    .filter(({ kind, participantId }) => kind === 'audio' && participantId !== null)
    .flatMap(({ segments }) => segments.filter(({ file }) => existsSync(join(folder, file))))
    .map(({ startMs, endMs }) => ({ from: zero + startMs, to: zero + endMs }))
}

/** When sound was sent to the bot. */
export function heardSpans(sessions: readonly Session[], within: Span): readonly Span[] {
  return sessions
    .flatMap(({ hearsFrom, to }) => (hearsFrom === null ? [] : [overlap({ from: hearsFrom, to: to ?? within.to }, within)]))
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

function lengthOf({ from, to }: Span): number {
  return to - from
}
