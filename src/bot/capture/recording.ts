// Writes the sources of a meeting as segments and a manifest. A bot that is killed at any moment loses two seconds at most.
import { mkdir } from 'node:fs/promises'
import type { OwnFact, RecordedBefore, SaidFact, TrackKind } from '../../domain/recording.ts'
import { createSerialQueue } from '../../kit/serial-queue.ts'
import { Pauses } from './pauses.ts'
import { Source, type SourceHealth } from './source/source.ts'
import type { FrameSink, LanePlace, SourceInfo } from './source/source-info.ts'
import type { Span } from './source/speech-detector.ts'
import { LaneTiming } from './time/lane-timing.ts'
import type { Timed } from './time/source-timing.ts'
import type { WireFrame } from './wire.ts'
import { MemoryBudget } from './write/growing-file.ts'
import { beginSession, type ManifestLog, openManifest, type SessionStart } from './write/manifest.ts'
import type { Segment } from './write/segment.ts'

const SYNC_EVERY_MS = 1_000
const WRITE_FAILED = 'The recording could not be written to its folder; the next sync retries. Check free space and permissions.'
const MEMORY_LIMIT_BYTES = 64 * 1024 * 1024

export type RecordingOptions = {
  readonly folder: string
  /** Number of this session, higher than those of earlier sessions in the folder. */
  readonly session: number
  /** What earlier sessions recorded: their manifests may not be in the folder. Null, the default: nothing. */
  readonly recordedBefore?: RecordedBefore | null
  readonly requestKeyFrame: (source: string) => void
  /** Monotonic milliseconds. */
  readonly now?: () => number
  readonly wallClock?: () => number
  readonly memoryLimitBytes?: number
}

export type RecordingHealth = {
  readonly paused: boolean
  readonly sources: Readonly<Record<string, SourceHealth>>
  /** Frames of all sources that are in no file, also of sources that have ended. */
  readonly dropped: number
  readonly pendingBytes: number
  /** Why the last write failed; null if it succeeded. */
  readonly failure: Error | null
}

const FROM_THE_START = { kind: 'recording', fromMs: Number.NEGATIVE_INFINITY } as const

/** Opens a recording, or continues the one that an earlier session of this bot left in the folder. */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const now = options.now ?? (() => performance.now())
  const wallClock = options.wallClock ?? Date.now
  await mkdir(options.folder, { recursive: true, mode: 0o700 })
  const budget = new MemoryBudget(options.memoryLimitBytes ?? MEMORY_LIMIT_BYTES)
  const manifest = await openManifest(options.folder, options.session, budget)
  // Reads both clocks at the same moment: each is computed from the other afterwards.
  const start = beginSession(manifest, { nowMs: now(), wallMs: wallClock(), known: options.recordedBefore ?? null })
  // On the disk before any track, because track names contain its session number.
  await manifest.sync()
  return new Recording({ ...options, now }, budget, manifest, start)
}

export class Recording implements FrameSink {
  readonly #options: RecordingOptions & { readonly now: () => number }
  readonly #budget: MemoryBudget
  readonly #manifest: ManifestLog
  readonly #start: SessionStart
  readonly #sources = new Map<string, Source>()
  readonly #lanes = new LaneTiming()
  readonly #closing = new Map<Segment, number | undefined>()
  readonly #timer: NodeJS.Timeout
  #tracks = 0
  readonly #pauses: Pauses
  #droppedBefore = 0
  readonly #serially = createSerialQueue()
  #failure: Error | null = null

  constructor(
    options: RecordingOptions & { readonly now: () => number },
    budget: MemoryBudget,
    manifest: ManifestLog,
    start: SessionStart,
  ) {
    this.#options = options
    this.#budget = budget
    this.#manifest = manifest
    this.#start = start
    this.#pauses = new Pauses(start.paused ? Number.NEGATIVE_INFINITY : null)
    // health() shows a failed write, and the next second writes the same bytes again.
    this.#timer = setInterval(() => void this.sync().catch(() => undefined), SYNC_EVERY_MS)
  }

  /** Milliseconds since the first session began. Continues while paused and across a crash. */
  nowMs(): number {
    return this.sessionMs(this.#options.now())
  }

  /** The same for another time of the monotonic clock. */
  sessionMs(monotonicMs: number): number {
    return monotonicMs - this.#start.zeroMs
  }

  /** Wall-clock time at which the first session began. */
  get startedAt(): number {
    return this.#start.wallMs
  }

  get paused(): boolean {
    return this.#pauses.isPaused
  }

  /** From the last transcribed words of the session before to the start of this one. */
  get sessionGap(): Span | null {
    return this.#start.sessionGap
  }

  track(key: string, info: SourceInfo): void {
    const known = this.#sources.get(key)
    if (known) known.info = info
    else this.#sources.set(key, new Source(this.#depsOf(key), info, this.paused ? { kind: 'paused' } : FROM_THE_START))
  }

  /** `arrivedMs` is session time. A frame of an unannounced source is dropped. */
  frame(key: string, frame: WireFrame, arrivedMs: number, lane: LanePlace | null = null): void {
    const source = this.#sources.get(key)
    if (!source) return
    source.count(frame)
    // A track becomes a lane with its first CSRC. The packets before that are older.
    if (lane && !this.#lanes.has(lane.track)) this.#sources.get(lane.track)?.flush()
    const arrived = { ...frame, source: key, arrivedMs }
    this.#write(lane ? this.#lanes.push(arrived, lane) : source.time(arrived))
  }

  /** False if there is no such source. */
  setOwner(key: string, participantId: string | null, kind: TrackKind): boolean {
    this.#sources.get(key)?.setOwner(participantId, kind)
    return this.#sources.has(key)
  }

  trackEnded(key: string): void {
    this.#write(this.#lanes.end(key))
    const source = this.#sources.get(key)
    source?.end()
    this.#droppedBefore += source?.health().dropped ?? 0
    this.#sources.delete(key)
  }

  /** Speech that the platform reports and no packet shows. Its sound is in the mix. */
  addSpeech(participantId: string, { fromMs, toMs }: Span): void {
    // A bot that is moved to another room receives another mix.
    const [mix] = [...this.#sources.values()].filter(({ info }) => info.isMix).toSorted((a, b) => b.lastFrameMs - a.lastFrameMs)
    const span = { fromMs: Math.round(Math.max(0, fromMs)), toMs: Math.round(Math.min(toMs, this.nowMs())) }
    for (const part of this.#pauses.outside(span)) {
      if (part.toMs > part.fromMs) this.#manifest.append({ fact: 'speech', trackId: mix?.trackId ?? '', participantId, ...part })
    }
  }

  note(fact: SaidFact | OwnFact): void {
    this.#manifest.append(fact)
  }

  /** Null: the main meeting. */
  setRoom(name: string | null, atMs: number): void {
    this.#manifest.append({ fact: 'room', name: name ?? '', atMs: Math.round(Math.max(0, atMs)) })
  }

  pause(): void {
    if (this.paused) return
    this.#write(this.#lanes.restart())
    const atMs = Math.round(this.nowMs())
    this.#pauses.begin(atMs)
    for (const source of this.#sources.values()) source.pause(atMs)
    this.#manifest.append({ fact: 'paused', atMs })
  }

  resume(): void {
    if (!this.paused) return
    const atMs = Math.round(this.nowMs())
    this.#pauses.end(atMs)
    this.#manifest.append({ fact: 'resumed', atMs })
    for (const source of this.#sources.values()) source.resume(atMs)
  }

  health(): RecordingHealth {
    const sources = Object.fromEntries([...this.#sources].map(([key, source]) => [key, source.health()]))
    const dropped = Object.values(sources).reduce((sum, source) => sum + source.dropped, this.#droppedBefore)
    return {
      paused: this.paused,
      sources,
      dropped,
      pendingBytes: this.#budget.usedBytes,
      failure: this.#failure,
    }
  }

  /** Resolves when all media so far is on the disk. */
  sync(): Promise<void> {
    return this.#serially(async () => {
      this.#failure = await this.#sync().then(
        () => null,
        (error: Error) => error,
      )
      if (this.#failure) throw this.#failure
    })
  }

  /** Rejects if the last write fails, and may then be called again. */
  async end(reason: string, atMs = this.nowMs()): Promise<void> {
    this.#write(this.#lanes.restart())
    for (const key of [...this.#sources.keys()]) this.trackEnded(key)
    await this.sync()
    clearInterval(this.#timer)
    this.#manifest.append({ fact: 'ended', atMs: Math.round(atMs), reason })
    await this.#manifest.close()
  }

  #write(frames: readonly Timed[]): void {
    for (const frame of frames) this.#sources.get(frame.source)?.write(frame)
  }

  async #sync(): Promise<void> {
    this.#write(this.#lanes.release())
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
    if (failed) throw new Error(WRITE_FAILED, { cause: failed.reason })
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
      requestKeyFrame: () => this.#options.requestKeyFrame(key),
      closing: (segment, untilMs) => this.#closing.set(segment, untilMs),
    }
  }
}
