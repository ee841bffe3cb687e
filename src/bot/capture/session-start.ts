// Where a session of a recording starts: at zero, or after the gap since the session before.
import type { ManifestFact } from '../../domain/recording.ts'
import type { Span } from './source/speech-detector.ts'
import type { ManifestLog } from './write/manifest.ts'

export type SessionStart = {
  readonly wallMs: number
  readonly zeroMs: number
  readonly paused: boolean
  readonly sessionGap: Span | null
}

/** Live words are final within this time after they were spoken. */
const FINAL_WITHIN_MS = 15_000

/** Writes the start of the recording, or the gap since the earlier session that this one continues. */
export function beginSession(manifest: ManifestLog, nowMs: number, wallMs: number): SessionStart {
  const started = manifest.before.find(({ fact }) => fact === 'started')
  if (started?.fact !== 'started') {
    manifest.append({ fact: 'started', wallClock: new Date(wallMs).toISOString(), monotonicZeroMs: nowMs })
    return { wallMs, zeroMs: nowMs, paused: false, sessionGap: null }
  }
  const startedMs = Date.parse(started.wallClock)
  const sinceStartMs = wallMs - startedMs
  const fromMs = manifest.before.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), 0)
  const toMs = Math.max(fromMs, sinceStartMs)
  manifest.append({ fact: 'gap', fromMs, toMs })
  const paused = manifest.before.findLast(({ fact }) => fact === 'paused' || fact === 'resumed')?.fact === 'paused'
  const lastWordsMs = manifest.before.reduce((latest, fact) => (fact.fact === 'said' ? Math.max(latest, fact.end * 1000) : latest), 0)
  const away = { fromMs: Math.max(lastWordsMs, fromMs - FINAL_WITHIN_MS), toMs }
  return { wallMs: startedMs, zeroMs: nowMs - toMs, paused, sessionGap: away }
}

function lastMsOf(fact: ManifestFact): number {
  if (fact.fact === 'segment') return fact.endMs
  if (fact.fact === 'synced') return Math.max(0, ...fact.segments.map(({ endMs }) => endMs))
  if (fact.fact === 'gap' || fact.fact === 'speech') return fact.toMs
  return 'atMs' in fact ? fact.atMs : 0
}
