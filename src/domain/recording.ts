// The manifest a bot leaves behind: one JSON line per fact about its recording, appended as it happens, read after the call.
import type { SpokenWord } from './transcript.ts'

/** What a track shows. */
export type TrackKind = 'audio' | 'camera' | 'screen'

/** `webm` is a finished container made by the page, where no encoded frames could be had. */
const CODECS = ['opus', 'vp8', 'vp9', 'av1', 'h264', 'webm'] as const
export type Codec = (typeof CODECS)[number]

/** Every `...Ms` counts from the start of the session and goes on through pauses and gaps. */
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
  | { readonly fact: 'gap'; readonly fromMs: number; readonly toMs: number }
  | { readonly fact: 'ended'; readonly atMs: number; readonly reason: string }

/** One source of one participant. A source that passes to somebody else goes on as another track. */
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
  /** Sent only while its owner is among the loudest: a hole in it says that they were silent, and nothing else. */
  readonly inTurns?: true
  /** The sound of several participants at once, as far as they cannot be told apart. */
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
  /** Starts without a key frame, because none came in time: decodes only behind the segment before it. */
  readonly continues: boolean
}

type Extent = { readonly endMs: number; readonly bytes: number; readonly frames: number; readonly keyFrames: number }
/** What of a growing segment is surely on disk. */
export type SyncedSegment = { readonly trackId: string; readonly index: number } & Extent
export type SegmentClosed = Omit<SegmentOpened, 'fact'> & Extent & { readonly fact: 'segment' }

type SpeechFact = {
  readonly fact: 'speech'
  readonly trackId: string
  readonly participantId: string | null
  readonly fromMs: number
  readonly toMs: number
}

/** What a live recogniser heard and will not change any more; in seconds of the session. */
export type SaidFact = {
  readonly fact: 'said'
  readonly participantId: string
  readonly name: string
  readonly text: string
  readonly start: number
  readonly end: number
  readonly words: readonly SpokenWord[]
}

/**
 * Each session of a bot writes a manifest of its own, so that a stale session never overwrites a newer one. `own` was written here, `copy` is
 * what another node's session had noted when this one began.
 */
export type ManifestFile = { readonly name: string; readonly session: number; readonly origin: 'own' | 'copy' }

const PREFIXES = { own: 'manifest', copy: 'earlier' } as const

export function manifestName(session: number, origin: ManifestFile['origin'] = 'own'): string {
  return `${PREFIXES[origin]}-${session}.jsonl`
}

/** The manifests among these file names, in the order of their sessions. Releases before 0.2 had one for all, without a number. */
export function manifestsAmong(names: readonly string[]): readonly ManifestFile[] {
  const files = names.flatMap((name): ManifestFile[] => {
    const [, prefix, session = '0'] = /^(manifest|earlier)(?:-(\d+))?\.jsonl$/.exec(name) ?? []
    return prefix ? [{ name, session: Number(session), origin: prefix === PREFIXES.own ? 'own' : 'copy' }] : []
  })
  return files.sort((a, b) => a.session - b.session)
}

/** One manifest of several, whose texts come in the order of their sessions. */
export function joinManifests(texts: readonly string[]): Manifest {
  return { facts: texts.flatMap((text) => parseManifest(text).facts) }
}

export type Manifest = { readonly facts: readonly ManifestFact[] }

/** `closed` is false where the bot died before it could say how the segment ended; its extent is then the last one synced. */
export type Segment = Omit<SegmentClosed, 'fact' | 'trackId'> & { readonly closed: boolean }

export type Track = Omit<TrackOpened, 'fact'> & { readonly segments: readonly Segment[]; readonly totalSeconds: number }

export function manifestLine(fact: ManifestFact): string {
  return `${JSON.stringify(fact)}\n`
}

/**
 * Reads what is there. A line is a fact only once its line break is written, so a bot killed in the middle of a line loses that line;
 * a bot that resumed goes on behind it on a line of its own, so an unreadable line is passed over wherever it stands.
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
  if (fact.fact === 'synced') for (const synced of fact.segments) note(tracks.get(synced.trackId)?.segments, synced.index, synced)
  if (fact.fact === 'owner') own(tracks.get(fact.trackId), fact)
  if (fact.fact === 'opened' || fact.fact === 'segment') {
    const { fact: what, trackId, ...rest } = fact
    tracks.get(trackId)?.segments.set(rest.index, { ...NOTHING(rest.startMs), ...rest, closed: what === 'segment' })
  }
}

const NOTHING = (startMs: number): Extent => ({ endMs: startMs, bytes: 0, frames: 0, keyFrames: 0 })

function note(segments: Map<number, Segment> | undefined, index: number, { endMs, bytes, frames, keyFrames }: Extent): void {
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
    return null // Torn by a kill: what it said is lost, what stands around it is not.
  }
}

type FactName = ManifestFact['fact']
const SEGMENT_FIELDS = ['trackId', 'file', 'codec', '#index', '#startMs', '#width', '#height'] as const
const EXTENT_FIELDS = ['#endMs', '#bytes', '#frames', '#keyFrames'] as const
/** The fields without which a fact says nothing; `#` marks numbers, `@` lists, the rest is text. */
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
  speech: ['trackId', '#fromMs', '#toMs'],
  gap: ['#fromMs', '#toMs'],
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
