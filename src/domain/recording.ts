// The manifest of a recording: one JSON line per fact, appended as it happens and read after the call.
import type { Utterance } from './transcript.ts'

/** The content of a track. */
export type TrackKind = 'audio' | 'camera' | 'screen'

/** `webm` is a finished container made by the page, where encoded frames were not available. */
export type Codec = 'opus' | 'vp8' | 'vp9' | 'av1' | 'h264' | 'webm'

/** Every `...Ms` counts from the start of the session, including pauses and gaps. */
export type ManifestFact =
  | { readonly fact: 'started'; readonly wallClock: string; readonly monotonicZeroMs: number }
  | TrackOpened
  | { readonly fact: 'owner'; readonly trackId: string; readonly participantId: string; readonly kind: TrackKind }
  | SegmentOpened
  | { readonly fact: 'synced'; readonly segments: readonly SyncedSegment[] }
  | SegmentClosed
  | { readonly fact: 'paused' | 'resumed'; readonly atMs: number }
  | SpeechFact
  | SaidFact
  /** From here on the bot is in this breakout room; empty: in the main meeting. */
  | { readonly fact: 'room'; readonly name: string; readonly atMs: number }
  | { readonly fact: 'gap'; readonly fromMs: number; readonly toMs: number }
  | OwnFact
  | { readonly fact: 'ended'; readonly atMs: number; readonly reason: string }

/** One source of one participant. When its owner changes, another track begins. */
type TrackOpened = {
  readonly fact: 'track'
  readonly trackId: string
  /** Null until an `owner` fact names it. */
  readonly participantId: string | null
  readonly kind: TrackKind
  readonly codec: Codec
  readonly sampleRate?: number
  readonly channels?: number
  readonly width?: number
  readonly height?: number
  /** Sent only while its owner is among the loudest: a gap means silence. */
  readonly inTurns?: true
  /** The mixed audio of several participants, where they cannot be separated. */
  readonly mix?: true
}

export type SegmentOpened = {
  readonly fact: 'opened'
  readonly trackId: string
  readonly index: number
  readonly file: string
  readonly startMs: number
  readonly codec: Codec
  readonly width: number
  readonly height: number
  /** Starts without a key frame, because none arrived in time: decodable only after the segment before it. */
  readonly continues: boolean
}

type Extent = { readonly endMs: number; readonly bytes: number; readonly frames: number; readonly keyFrames: number }
/** The part of a growing segment that is synced to disk. */
export type SyncedSegment = { readonly trackId: string; readonly index: number } & Extent
export type SegmentClosed = Omit<SegmentOpened, 'fact'> & Extent & { readonly fact: 'segment' }

type SpeechFact = {
  readonly fact: 'speech'
  readonly trackId: string
  readonly participantId: string | null
  readonly fromMs: number
  readonly toMs: number
}

/** This participant is the bot itself, by its other session during a planned hand-over. */
export type OwnFact = { readonly fact: 'own'; readonly participantId: string }

/** A final result of live transcription, in seconds of the session. */
export type SaidFact = Utterance & { readonly fact: 'said'; readonly participantId: string; readonly name: string }

/** What the service knows of earlier sessions, whose manifests may not have arrived yet. Times are Unix milliseconds. */
export type RecordedBefore = { readonly since: number; readonly pause: PauseChange | null }

/** The recording was paused or resumed. */
export type PauseChange = { readonly isPaused: boolean; readonly at: number }

/**
 * Each session of a bot writes its own manifest, so that a stale session never overwrites a newer one. `own` was written here. `copy` is
 * the manifest of another node's session at the time when this one began.
 */
export type ManifestFile = { readonly name: string; readonly session: number; readonly origin: 'own' | 'copy' }

const PREFIXES = { own: 'manifest', copy: 'earlier' } as const

export function manifestName(session: number, origin: ManifestFile['origin'] = 'own'): string {
  return `${PREFIXES[origin]}-${session}.jsonl`
}

/** The manifests among these file names, in the order of their sessions. Releases before 0.2 had a single one without a number. */
export function manifestsAmong(names: readonly string[]): readonly ManifestFile[] {
  const files = names.flatMap((name): ManifestFile[] => {
    const [, prefix, session = '0'] = /^(manifest|earlier)(?:-(\d+))?\.jsonl$/.exec(name) ?? []
    return prefix ? [{ name, session: Number(session), origin: prefix === PREFIXES.own ? 'own' : 'copy' }] : []
  })
  return files.sort((a, b) => a.session - b.session)
}

/**
 * One manifest from several, given in the order of their sessions. The end of a session may have arrived after the next one began, so a gap lasts
 * only from there, and words that both sessions transcribed are those of the earlier one.
 */
export function joinManifests(texts: readonly string[]): Manifest {
  const facts: ManifestFact[] = []
  for (const text of texts) {
    const endMs = facts.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), 0)
    const said = facts.filter((it) => it.fact === 'said')
    const isNew = (fact: ManifestFact) => fact.fact !== 'said' || !said.some((it) => overlaps(it, fact))
    const since = (fact: ManifestFact) =>
      fact.fact === 'gap' ? { ...fact, fromMs: Math.min(Math.max(fact.fromMs, endMs), fact.toMs) } : fact
    facts.push(...parseManifest(text).facts.filter(isNew).map(since))
  }
  return { facts }
}

function overlaps(earlier: SaidFact, later: SaidFact): boolean {
  return earlier.participantId === later.participantId && earlier.start < later.end && later.start < earlier.end
}

export type Manifest = { readonly facts: readonly ManifestFact[] }

/** The latest moment that a fact proves. */
export function lastMsOf(fact: ManifestFact): number {
  if (fact.fact === 'segment') return fact.endMs
  if (fact.fact === 'synced') return fact.segments.reduce((latest, { endMs }) => Math.max(latest, endMs), 0)
  if ('toMs' in fact) return fact.toMs
  return 'atMs' in fact ? fact.atMs : 0
}

/** The few facts that a session needs of those before it: when the recording started, whether it is paused, and how far it and its words reach. */
export function factsToContinue({ facts }: Manifest): readonly ManifestFact[] {
  const last = facts.reduce<ManifestFact | undefined>(
    (latest, it) => (lastMsOf(it) > (latest ? lastMsOf(latest) : 0) ? it : latest),
    undefined,
  )
  const said = facts.filter((it) => it.fact === 'said').toSorted((a, b) => a.end - b.end)
  const pause = facts.findLast(({ fact }) => fact === 'paused' || fact === 'resumed')
  return [...new Set([facts.find(({ fact }) => fact === 'started'), last, said.at(-1), pause])].filter((it) => it !== undefined)
}

/** `closed` is false where the bot died before it closed the segment. Its extent is then the last synced one. */
type Segment = Omit<SegmentClosed, 'fact' | 'trackId'> & { readonly closed: boolean }

export type Track = Omit<TrackOpened, 'fact'> & { readonly segments: readonly Segment[]; readonly totalSeconds: number }

export function manifestLine(fact: ManifestFact): string {
  return `${JSON.stringify(fact)}\n`
}

/**
 * A line is a fact only once its line break is written, so a bot killed within a line loses that line.
 * A resumed bot continues on a new line, so unreadable lines are skipped anywhere.
 */
export function parseManifest(text: string): Manifest {
  const lines = text.split('\n').slice(0, -1)
  return { facts: lines.map(readLine).filter((fact) => fact !== null) }
}

/** The tracks in the order they opened, each with its segments in the order they were recorded. */
export function tracksOf({ facts }: Manifest): readonly Track[] {
  const tracks = new Map<string, Folded>()
  for (const fact of facts) fold(tracks, fact)
  return [...tracks.values()].map(({ opened: { fact: _, ...opened }, segments }) => {
    const ordered = [...segments.values()].filter(({ frames }) => frames > 0).sort((a, b) => a.index - b.index)
    const totalMs = ordered.reduce((sum, { startMs, endMs }) => sum + (endMs - startMs), 0)
    return { ...opened, segments: ordered, totalSeconds: totalMs / 1000 }
  })
}

type Folded = { opened: TrackOpened; segments: Map<number, Segment> }

function fold(tracks: Map<string, Folded>, fact: ManifestFact): void {
  if (fact.fact === 'track') tracks.set(fact.trackId, { opened: fact, segments: new Map() })
  if (fact.fact === 'synced') for (const synced of fact.segments) extend(tracks.get(synced.trackId)?.segments, synced.index, synced)
  if (fact.fact === 'owner') own(tracks.get(fact.trackId), fact)
  if (fact.fact === 'opened' || fact.fact === 'segment') {
    const { fact: factKind, trackId, ...rest } = fact
    tracks.get(trackId)?.segments.set(rest.index, { ...NOTHING(rest.startMs), ...rest, closed: factKind === 'segment' })
  }
}

const NOTHING = (startMs: number): Extent => ({ endMs: startMs, bytes: 0, frames: 0, keyFrames: 0 })

function extend(segments: Map<number, Segment> | undefined, index: number, { endMs, bytes, frames, keyFrames }: Extent): void {
  const segment = segments?.get(index)
  if (segment && !segment.closed) segments?.set(index, { ...segment, endMs, bytes, frames, keyFrames })
}

function own(track: Folded | undefined, { participantId, kind }: { participantId: string; kind: TrackKind }): void {
  if (track) track.opened = { ...track.opened, participantId, kind }
}

function readLine(line: string): ManifestFact | null {
  try {
    const fact: unknown = JSON.parse(line)
    return isFact(fact) ? fact : null
  } catch {
    return null // Torn by a kill: only this line is lost.
  }
}

type FactName = ManifestFact['fact']
const SEGMENT_FIELDS = ['trackId', 'file', 'codec', '#index', '#startMs', '#width', '#height'] as const
const EXTENT_FIELDS = ['#endMs', '#bytes', '#frames', '#keyFrames'] as const
/** The required fields of each fact; `#` marks numbers, `@` lists, the rest is text. */
const REQUIRED: Record<FactName, readonly string[]> = {
  started: ['wallClock', '#monotonicZeroMs'],
  track: ['trackId', 'kind', 'codec'],
  owner: ['trackId', 'participantId', 'kind'],
  opened: SEGMENT_FIELDS,
  synced: ['@segments'],
  segment: [...SEGMENT_FIELDS, ...EXTENT_FIELDS],
  said: ['participantId', 'name', 'text', '#start', '#end', '@words'],
  paused: ['#atMs'],
  resumed: ['#atMs'],
  room: ['name', '#atMs'],
  speech: ['trackId', '#fromMs', '#toMs'],
  gap: ['#fromMs', '#toMs'],
  own: ['participantId'],
  ended: ['#atMs', 'reason'],
}

function isFact(value: unknown): value is ManifestFact {
  if (typeof value !== 'object' || value === null || !('fact' in value)) return false
  const required = Object.hasOwn(REQUIRED, String(value.fact)) ? REQUIRED[value.fact as FactName] : null
  return required?.every((field) => holds(value, field)) ?? false
}

function holds(value: object, field: string): boolean {
  const mark = field[0]
  const found: unknown = Reflect.get(value, mark === '#' || mark === '@' ? field.slice(1) : field)
  if (mark === '#') return typeof found === 'number'
  return mark === '@' ? Array.isArray(found) : typeof found === 'string'
}
