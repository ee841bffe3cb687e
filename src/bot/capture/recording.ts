// A meeting on its way to the disk: sources in, segments and a manifest out; a bot killed at any moment has lost two seconds at most.
import { mkdir } from 'node:fs/promises'
import type { ManifestFact, SaidFact, TrackKind } from '../../domain/recording.ts'
import { MemoryBudget } from './growing-file.ts'
import { type ManifestLog, openManifest } from './manifest.ts'
import type { Segment } from './segment.ts'
import { Source, type SourceHealth } from './source.ts'
import type { SourceNote } from './source-note.ts'
import type { Span } from './speech.ts'
import type { WireFrame } from './wire.ts'

const SYNC_EVERY_MS = 1_000
const MEMORY_LIMIT_BYTES = 64 * 1024 * 1024

export type RecordingOptions = {
  readonly folder: string
  /** Number of this session: higher than that of every earlier session in the folder. */
  readonly session: number
  readonly askKeyFrame: (source: string) => void
  /** Monotonic milliseconds. */
  readonly now?: () => number
  readonly wallClock?: () => number
  readonly memoryLimitBytes?: number
}

export type RecordingHealth = {
  readonly paused: boolean
  readonly sources: Readonly<Record<string, SourceHealth>>
  readonly pendingBytes: number
  /** Session time when everything was last on the disk. */
  readonly syncedMs: number
  /** Why the last attempt to write failed; null when it did not. */
  readonly failure: Error | null
}

type Start = { readonly wallMs: number; readonly zeroMs: number; readonly paused: boolean; readonly away: Span | null }

const FROM_THE_START = { kind: 'recording', fromMs: Number.NEGATIVE_INFINITY } as const

/** Live words are final this long after they were spoken at the latest. */
const SETTLES_WITHIN_MS = 15_000

/** Opens a recording, or goes on with the one that an earlier session of this bot left in the folder. */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const now = options.now ?? (() => performance.now())
  const wallClock = options.wallClock ?? Date.now
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const budget = new MemoryBudget(options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES)
  const manifest = await openManifest(options.folder, options.session, budget)
  // Both clocks at the same moment: each is computed from the other ever after.
  const start = begin(manifest, now(), wallClock())
  // On the disk before any track is, because track names count on it.
  await manifest.sync()
  return new Recording({ ...options, now }, budget, manifest, start)
}

function begin(manifest: ManifestLog, nowMs: number, wallMs: number): Start {
  const started = manifest.before.find(({ fact }) => fact === 'started')
  if (started?.fact !== 'started') {
    manifest.append({ fact: 'started', wallClock: new Date(wallMs).toISOString(), monotonicZeroMs: nowMs })
    return { wallMs, zeroMs: nowMs, paused: false, away: null }
  }
  const startedMs = Date.parse(started.wallClock)
  const sinceStartMs = wallMs - startedMs
  const fromMs = manifest.before.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), 0)
  const toMs = Math.max(fromMs, sinceStartMs)
  manifest.append({ fact: 'gap', fromMs, toMs })
  const paused = manifest.before.findLast(({ fact }) => fact === 'paused' || fact === 'resumed')?.fact === 'paused'
  const saidMs = manifest.before.reduce((latest, fact) => (fact.fact === 'said' ? Math.max(latest, fact.end * 1000) : latest), 0)
  const away = { fromMs: Math.max(saidMs, fromMs - SETTLES_WITHIN_MS), toMs }
  return { wallMs: startedMs, zeroMs: nowMs - toMs, paused, away }
}

function lastMsOf(fact: ManifestFact): number {
  if (fact.fact === 'segment') return fact.endMs
  if (fact.fact === 'synced') return Math.max(0, ...fact.segments.map(({ endMs }) => endMs))
  if (fact.fact === 'gap' || fact.fact === 'speech') return fact.toMs
  return 'atMs' in fact ? fact.atMs : 0
}

export class Recording {
  readonly #options: RecordingOptions & { readonly now: () => number }
  readonly #budget: MemoryBudget
  readonly #manifest: ManifestLog
  readonly #start: Start
  readonly #sources = new Map<string, Source>()
  readonly #closing = new Map<Segment, number | undefined>()
  readonly #timer: NodeJS.Timeout
  #tracks = 0
  #paused: boolean
  #work: Promise<void> = Promise.resolve()
  #syncedMs = 0
  #failure: Error | null = null

  constructor(options: RecordingOptions & { readonly now: () => number }, budget: MemoryBudget, manifest: ManifestLog, start: Start) {
    this.#options = options
    this.#budget = budget
    this.#manifest = manifest
    this.#start = start
    this.#paused = start.paused
    // A disk that refuses is shown by health(), and the next second tries the same bytes again.
    this.#timer = setInterval(() => void this.sync().catch(() => undefined), SYNC_EVERY_MS)
  }

  /** Milliseconds since the session started; goes on while paused, and through a crash. */
  nowMs(): number {
    return this.sessionMs(this.#options.now())
  }

  /** The same for another moment of the monotonic clock. */
  sessionMs(monotonicMs: number): number {
    return monotonicMs - this.#start.zeroMs
  }

  /** When the first session started, in the wall clock. */
  get startedAt(): number {
    return this.#start.wallMs
  }

  get paused(): boolean {
    return this.#paused
  }

  /** From the last words of the session before this one to the beginning of this one. */
  get away(): Span | null {
    return this.#start.away
  }

  /** A source appeared, or more is known about it. */
  track(key: string, note: SourceNote): void {
    const known = this.#sources.get(key)
    if (known) known.note = note
    else this.#sources.set(key, new Source(this.#depsOf(key), note, this.#paused ? { kind: 'paused' } : FROM_THE_START))
  }

  /** `arrivedMs` is session time. A frame of a source that was never announced is not taken. */
  frame(key: string, frame: WireFrame, arrivedMs: number): void {
    this.#sources.get(key)?.take(frame, arrivedMs)
  }

  /** A packet of a lane, whose session time is known. */
  timed(key: string, frame: WireFrame, atMs: number): void {
    this.#sources.get(key)?.takeTimed(frame, atMs)
  }

  /** False when there is no such source. */
  own(key: string, participantId: string | null, kind: TrackKind): boolean {
    this.#sources.get(key)?.own(participantId, kind)
    return this.#sources.has(key)
  }

  trackEnded(key: string): void {
    this.#sources.get(key)?.end()
    this.#sources.delete(key)
  }

  /** Speech that is known from elsewhere than the packets. It is in the mix. */
  spoke(participantId: string, { fromMs, toMs }: Span): void {
    if (this.#paused) return
    const mix = [...this.#sources.values()].find(({ note }) => note.isMix)
    const span = { fromMs: Math.round(Math.max(0, fromMs)), toMs: Math.round(Math.min(toMs, this.nowMs())) }
    if (span.toMs > span.fromMs) this.#manifest.append({ fact: 'speech', trackId: mix?.trackId ?? '', participantId, ...span })
  }

  said(words: Omit<SaidFact, 'fact'>): void {
    this.#manifest.append({ fact: 'said', ...words })
  }

  pause(): void {
    if (this.#paused) return
    this.#paused = true
    const atMs = Math.round(this.nowMs())
    for (const source of this.#sources.values()) source.pause(atMs)
    this.#manifest.append({ fact: 'paused', atMs })
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    const atMs = Math.round(this.nowMs())
    this.#manifest.append({ fact: 'resumed', atMs })
    for (const source of this.#sources.values()) source.resume(atMs)
  }

  health(): RecordingHealth {
    const sources = Object.fromEntries([...this.#sources].map(([key, source]) => [key, source.health()]))
    return { paused: this.#paused, sources, pendingBytes: this.#budget.usedBytes, syncedMs: this.#syncedMs, failure: this.#failure }
  }

  /** Everything taken so far is on the disk when this resolves. */
  sync(): Promise<void> {
    const turn = this.#work.then(() => this.#sync())
    this.#work = turn.catch((error: Error) => {
      // Tried again in a second; shown in `health`.
      this.#failure = error
    })
    return turn
  }

  /** Rejects when the disk refuses the last bytes; may then be called again. */
  async end(reason: string, atMs = this.nowMs()): Promise<void> {
    for (const key of [...this.#sources.keys()]) this.trackEnded(key)
    await this.sync()
    clearInterval(this.#timer)
    this.#manifest.append({ fact: 'ended', atMs: Math.round(atMs), reason })
    await this.#manifest.close()
  }

  async #sync(): Promise<void> {
    const atMs = this.nowMs()
    for (const source of this.#sources.values()) source.tick()
    const open = [...this.#sources.values()].flatMap(({ segment }) => segment ?? [])
    const closing = [...this.#closing]
    const outcomes = await Promise.allSettled([
      ...closing.map(async ([segment, untilMs]) => {
        this.#manifest.append(await segment.close(untilMs))
        this.#closing.delete(segment)
      }),
      this.#syncOpen(open),
    ])
    await this.#manifest.sync()
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw new Error('The recording could not be written; what is in memory is tried again.', { cause: failed.reason })
    this.#failure = null
    this.#syncedMs = atMs
  }

  async #syncOpen(open: readonly Segment[]): Promise<void> {
    const segments = await Promise.all(open.map((segment) => segment.sync()))
    if (segments.length > 0) this.#manifest.append({ fact: 'synced', segments })
  }

  #depsOf(key: string): ConstructorParameters<typeof Source>[0] {
    return {
      folder: this.#options.folder,
      budget: this.#budget,
      nowMs: () => this.nowMs(),
      append: (fact) => this.#manifest.append(fact),
      newTrackId: () => `${this.#options.session}-${++this.#tracks}`,
      askKeyFrame: () => this.#options.askKeyFrame(key),
      closing: (segment, untilMs) => this.#closing.set(segment, untilMs),
    }
  }
}
