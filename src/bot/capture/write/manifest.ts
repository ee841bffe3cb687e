// Appends facts to the manifest of a session. A bot that rejoins reads the manifests of its earlier sessions.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import {
  joinManifests,
  lastMsOf,
  type ManifestFact,
  manifestLine,
  manifestName,
  manifestsAmong,
  type PauseChange,
  type RecordedBefore,
} from '../../../domain/recording.ts'
import type { Span } from '../source/speech-detector.ts'
import { GrowingFile, type MemoryBudget } from './growing-file.ts'

export type ManifestLog = {
  /** The facts of earlier sessions of this bot. */
  readonly before: readonly ManifestFact[]
  append(fact: ManifestFact): void
  sync(): Promise<void>
  close(): Promise<void>
}

/** Where a session of a recording starts: at zero, or after the gap since the session before. */
export type SessionStart = {
  readonly wallMs: number
  readonly zeroMs: number
  readonly paused: boolean
  readonly sessionGap: Span | null
}

/** Live words are final within this time after they were spoken. */
const FINAL_WITHIN_MS = 15_000

export async function openManifest(folder: string, session: number, budget: MemoryBudget): Promise<ManifestLog> {
  const earlier = manifestsAmong(await readdir(folder)).filter((file) => file.session < session)
  const texts = await Promise.all(earlier.map(({ name }) => readFile(path.join(folder, name), 'utf8')))
  const growing = new GrowingFile(path.join(folder, manifestName(session)), budget)
  return {
    before: joinManifests(texts).facts,
    append(fact) {
      // Fails only if the disk has failed for so long that media fills the memory. The fact's media is then lost too.
      growing.append(Buffer.from(manifestLine(fact)))
    },
    sync: () => growing.sync(),
    close: () => growing.close(),
  }
}

type Clocks = { readonly nowMs: number; readonly wallMs: number; readonly known: RecordedBefore | null }

/** Writes the start of the recording, or the gap since the earlier session that this one continues. The manifest of that one may not be here. */
export function beginSession(manifest: ManifestLog, { nowMs, wallMs, known }: Clocks): SessionStart {
  const { before } = manifest
  const first = before.find((it) => it.fact === 'started')
  const startedMs = first ? Date.parse(first.wallClock) : (known?.since ?? null)
  if (startedMs === null) {
    manifest.append(startedFact(wallMs, nowMs))
    return { wallMs, zeroMs: nowMs, paused: false, sessionGap: null }
  }
  const fromMs = before.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), 0)
  const toMs = Math.max(fromMs, wallMs - startedMs)
  const zeroMs = nowMs - toMs
  if (!first) manifest.append(startedFact(startedMs, zeroMs))
  manifest.append({ fact: 'gap', fromMs, toMs })
  const lastWordsMs = before.reduce((latest, fact) => (fact.fact === 'said' ? Math.max(latest, fact.end * 1000) : latest), 0)
  const away = { fromMs: Math.max(lastWordsMs, fromMs - FINAL_WITHIN_MS), toMs }
  return { wallMs: startedMs, zeroMs, paused: isPaused(before, startedMs, known?.pause ?? null), sessionGap: away }
}

type PauseFact = Extract<ManifestFact, { fact: 'paused' | 'resumed' }>

/** By the later of the manifests and the service: neither may know the last change. */
function isPaused(before: readonly ManifestFact[], startedMs: number, known: PauseChange | null): boolean {
  const last = before.findLast((it): it is PauseFact => it.fact === 'paused' || it.fact === 'resumed')
  const isManifestNewer = last && startedMs + last.atMs >= (known?.at ?? 0)
  return isManifestNewer ? last.fact === 'paused' : (known?.isPaused ?? false)
}

const startedFact = (wallMs: number, zeroMs: number): ManifestFact => ({
  fact: 'started',
  wallClock: new Date(wallMs).toISOString(),
  monotonicZeroMs: zeroMs,
})
