// Plans the output files of a recording from its manifest: its length, its participants, and the runs of segments to concatenate.
import { type Codec, lastMsOf, type Manifest, type TrackKind, tracksOf } from '../../domain/recording.ts'
import { divideMixes, type PlannedSegment, type PlannedTrack, unnamedSpeech } from './divided-mix.ts'
import { type RoomSpan, roomsOf } from './rooms.ts'
import { clipSpans, mergeSpans, type Span } from './span.ts'
import { ownParticipants, tracksOnce } from './two-sessions.ts'

/** Segments that can be concatenated: the same participant, codec and size, without a long hole. */
export type Run = {
  readonly trackId: string
  readonly kind: TrackKind
  readonly codec: Codec
  readonly width: number
  readonly height: number
  readonly startMs: number
  readonly endMs: number
  readonly segments: readonly PlannedSegment[]
}

export type PlannedParticipant = {
  readonly id: string
  readonly name: string
  readonly present: readonly Span[]
  readonly visible: readonly Span[]
  readonly sharing: readonly Span[]
  readonly speaking: readonly Span[]
  readonly runs: Readonly<Record<TrackKind, readonly Run[]>>
  /** The mixed audio of several participants who could not be separated. It has no tile. */
  readonly isMix: boolean
}

export type MediaPlan = {
  /** Unix time in milliseconds; null: the manifest has no start. */
  readonly startedAt: number | null
  readonly totalMs: number
  readonly pauses: readonly Span[]
  readonly gaps: readonly Span[]
  /** The breakout rooms in which the bot was. */
  readonly rooms: readonly RoomSpan[]
  /** Participants with audio, video or a roster entry, in the order they appeared. */
  readonly participants: readonly PlannedParticipant[]
}

/** A participant of the meeting's roster. `present` is session time, and is extended by the times of the participant's tracks. */
export type Person = { readonly id: string; readonly name: string; readonly present?: readonly Span[] }

/** A hole longer than this ends a run. A static shared screen sends almost nothing, so its limit is longer. */
const LONGEST_HOLE_MS: Readonly<Record<TrackKind, number>> = { audio: 2_000, camera: 3_000, screen: 15_000 }
/** The limit for a participant whose audio comes in turns: one file with silence is better than a file per turn. */
const LONGEST_SILENCE_MS = 5 * 60_000
/** How much two turns of one participant may overlap, because their times come from different clocks. */
const OVERLAP_MS = 60
/** One video frame: no file can be shorter. */
const SHORTEST_MS = 40
/** A source that replaces another starts within this time; a participant who leaves and rejoins takes longer. */
const REJOIN_MS = 500
/** A shorter pause does not end speech. */
const BREATH_MS = 500

export function planMedia(manifest: Manifest, people: readonly Person[] = []): MediaPlan {
  const started = manifest.facts.find((fact) => fact.fact === 'started')
  const startedAt = Date.parse(started?.fact === 'started' ? started.wallClock : '')
  const totalMs = manifest.facts.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), SHORTEST_MS)
  const tracks = divideMixes(manifest, tracksOnce(manifest))
  const owners = Map.groupBy(tracks, ownerOf)
  const unowned = new Set(tracks.filter(({ participantId, mix }) => participantId === null && !mix).map(ownerOf))
  const speech = Map.groupBy(speechOf(manifest), ({ speaker }) => speaker)
  const named = new Map(people.map((person) => [person.id, person]))
  const ids = [...new Set([...named.keys(), ...owners.keys()])]
  const participants = ids
    .map((id) => participant(id, named.get(id), owners.get(id) ?? [], speech.get(id) ?? []))
    .filter((it) => it.present.length > 0 && !(speech.size > 0 && unowned.has(it.id) && isSilent(it)))
    .sort((a, b) => firstOf(a) - firstOf(b))
  return {
    startedAt: Number.isNaN(startedAt) ? null : startedAt,
    totalMs,
    pauses: pausesOf(manifest, totalMs),
    gaps: mergeSpans(manifest.facts.filter((fact) => fact.fact === 'gap')),
    rooms: roomsOf(manifest, totalMs),
    participants: participants.map((it) => ({ ...it, present: clipSpans(it.present, { fromMs: 0, toMs: totalMs }) })),
  }
}

/** The speech spans of the manifest with their speakers. */
export function speechOf(manifest: Manifest): readonly (Span & { readonly speaker: string; readonly known: boolean })[] {
  const { facts } = manifest
  const own = ownParticipants(manifest)
  const tracks = tracksOf(manifest)
  const owners = new Map(tracks.map((track) => [track.trackId, track.participantId]))
  const mixes = new Set(tracks.filter(({ mix }) => mix).map(({ trackId }) => trackId))
  const speech = facts.filter((fact) => fact.fact === 'speech')
  const turns = Map.groupBy(
    speech.filter(({ participantId }) => participantId !== null),
    ({ trackId }) => trackId,
  )
  return speech.flatMap(({ participantId, trackId, fromMs, toMs }) => {
    const known = participantId ?? owners.get(trackId) ?? null
    if (known !== null && own.has(known)) return []
    const spans = known === null && mixes.has(trackId) ? unnamedSpeech({ fromMs, toMs }, turns.get(trackId) ?? []) : [{ fromMs, toMs }]
    return spans.map((span) => ({ speaker: known ?? unnamed(trackId), known: known !== null, ...span }))
  })
}

/** All runs of a plan with their participant, sorted by start. */
export function runsOf(
  { participants }: MediaPlan,
  kind: TrackKind,
): readonly { readonly participant: PlannedParticipant; readonly run: Run }[] {
  return participants
    .flatMap((participant) => participant.runs[kind].map((run) => ({ participant, run })))
    .sort((a, b) => a.run.startMs - b.run.startMs)
}

/** Pauses and gaps, which are black and silent. */
export function blackSpans({ pauses, gaps }: MediaPlan): readonly Span[] {
  return mergeSpans([...pauses, ...gaps])
}

function participant(id: string, person: Person | undefined, tracks: readonly PlannedTrack[], speech: readonly Span[]): PlannedParticipant {
  const runs = { audio: runsIn(tracks, 'audio'), camera: runsIn(tracks, 'camera'), screen: runsIn(tracks, 'screen') }
  // A participant who spoke only in a mix has a track without segments.
  const trackSpans = tracks
    .filter(({ segments }) => segments.length > 0)
    .map(({ segments }) => ({ fromMs: segments[0]?.startMs ?? 0, toMs: segments.at(-1)?.endMs ?? 0 }))
  return {
    id,
    name: person?.name ?? '',
    present: mergeSpans([...(person?.present ?? []), ...trackSpans], REJOIN_MS),
    visible: presenceOf(runs.camera),
    sharing: presenceOf(runs.screen),
    speaking: mergeSpans(speech, BREATH_MS),
    runs,
    isMix: tracks.some(({ participantId, mix }) => participantId === null && mix === true),
  }
}

function runsIn(tracks: readonly PlannedTrack[], kind: TrackKind): readonly Run[] {
  const shown = tracks.filter((track) => track.kind === kind)
  const steady = shown.filter(({ inTurns }) => !inTurns).flatMap((track) => runsOfTrack(track))
  return [...steady, ...runsInTurns(shown.filter(({ inTurns }) => inTurns))].sort((a, b) => a.startMs - b.startMs)
}

function runsOfTrack({ trackId, kind, segments }: PlannedTrack): readonly Run[] {
  const runs: Run[] = []
  for (const segment of segments) {
    const run = runs.at(-1)
    if (run && continuesRun(run, segment, LONGEST_HOLE_MS[kind])) runs[runs.length - 1] = extendRun(run, segment)
    else runs.push(startRun(trackId, kind, segment))
  }
  return runs
}

/** Joins the tracks of one participant whose audio comes in turns. Overlapping turns stay in separate runs. */
function runsInTurns(tracks: readonly PlannedTrack[]): readonly Run[] {
  const runs: Run[] = []
  const turns = tracks.flatMap(({ trackId, kind, segments }) => segments.map((segment) => ({ trackId, kind, segment })))
  for (const { trackId, kind, segment } of turns.sort((a, b) => a.segment.startMs - b.segment.startMs)) {
    const at = runs.findLastIndex((run) => segment.startMs >= run.endMs - OVERLAP_MS && continuesRun(run, segment, LONGEST_SILENCE_MS))
    const run = runs[at]
    if (run) runs[at] = extendRun(run, segment)
    else runs.push(startRun(trackId, kind, segment))
  }
  return runs
}

function startRun(trackId: string, kind: TrackKind, segment: PlannedSegment): Run {
  const { codec, width, height, startMs, endMs } = segment
  return { trackId, kind, codec, width, height, startMs, endMs, segments: [segment] }
}

const extendRun = (run: Run, segment: PlannedSegment): Run => ({ ...run, endMs: segment.endMs, segments: [...run.segments, segment] })

function continuesRun(last: Run, next: PlannedSegment, longestHoleMs: number): boolean {
  const hasSameFormat = last.codec === next.codec && last.width === next.width && last.height === next.height
  return hasSameFormat && next.startMs - last.endMs <= longestHoleMs
}

/** A change of size starts a new run but does not interrupt the participant's presence. */
function presenceOf(runs: readonly Run[]): readonly Span[] {
  const tracks = [...Map.groupBy(runs, ({ trackId }) => trackId).values()]
  const spans = tracks.flatMap((of) =>
    mergeSpans(
      of.map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: endMs })),
      LONGEST_HOLE_MS[of[0]?.kind ?? 'audio'],
    ),
  )
  return mergeSpans(spans, REJOIN_MS)
}

function pausesOf({ facts }: Manifest, totalMs: number): readonly Span[] {
  const pauses: Span[] = []
  let sinceMs: number | null = null
  for (const fact of facts) {
    if (fact.fact === 'paused') sinceMs ??= fact.atMs
    if (fact.fact !== 'resumed' || sinceMs === null) continue
    pauses.push({ fromMs: sinceMs, toMs: fact.atMs })
    sinceMs = null
  }
  return mergeSpans(sinceMs === null ? pauses : [...pauses, { fromMs: sinceMs, toMs: totalMs }])
}

/** A track whose owner was never reported becomes a participant of its own. */
const unnamed = (trackId: string): string => `unnamed:${trackId}`
const ownerOf = ({ participantId, trackId }: PlannedTrack): string => participantId ?? unnamed(trackId)
/** If the manifest has speech, a track without owner, speech and video is an unused lane and not a participant. */
const isSilent = ({ runs, speaking }: PlannedParticipant): boolean => speaking.length === 0 && runs.camera.length + runs.screen.length === 0
const firstOf = ({ present }: PlannedParticipant): number => present[0]?.fromMs ?? 0
