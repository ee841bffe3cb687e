// What a recording holds, in words that files can be made from: how long it is, who was in it, and which segments belong together.
import { type Codec, type Manifest, type ManifestFact, type TrackKind, tracksOf } from '../../domain/recording.ts'
import { divideMixes, type PlannedSegment, type PlannedTrack } from './divided-mix.ts'
import { joined, type Span, within } from './span.ts'

/** Segments that can be played as one: of one track, or of one voice that came in turns; one codec, one size, no hole that says more. */
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
  readonly audible: readonly Span[]
  readonly visible: readonly Span[]
  readonly sharing: readonly Span[]
  readonly speaking: readonly Span[]
  readonly runs: Readonly<Record<TrackKind, readonly Run[]>>
  /** Several participants at once, who could not be told apart: to be heard, and not to be shown. */
  readonly isMix: boolean
}

export type MediaPlan = {
  /** When the session began, in milliseconds since 1970; null where the manifest lost it. */
  readonly startedAt: number | null
  readonly totalMs: number
  readonly pauses: readonly Span[]
  readonly gaps: readonly Span[]
  /** Those who were heard, seen or named, in the order they appeared. */
  readonly participants: readonly PlannedParticipant[]
}

/** Whoever the meeting named. `present` is session time; presence that only the tracks show is added to it. */
export type Person = { readonly id: string; readonly name: string; readonly present?: readonly Span[] }

/** A hole longer than this ends a run. A shared screen that stands still sends next to nothing, so it is given more. */
const LONGEST_HOLE_MS: Readonly<Record<TrackKind, number>> = { audio: 2_000, camera: 3_000, screen: 15_000 }
/** Somebody who is heard only in turns has fallen silent, and a file keeps silence cheaper than a thousand files keep words. */
const LONGEST_SILENCE_MS = 5 * 60_000
/** How much two turns of one voice may overlap: their times come from different clocks. */
const OVERLAP_MS = 60
/** One picture: no file can be shorter. */
const SHORTEST_MS = 40
/** A source that was only replaced by another goes on at once; whoever left and came back takes longer. */
const REJOIN_MS = 500
/** Somebody who takes breath is still speaking. */
const BREATH_MS = 500

export function planMedia(manifest: Manifest, people: readonly Person[] = []): MediaPlan {
  const started = manifest.facts.find((fact) => fact.fact === 'started')
  const startedAt = Date.parse(started?.fact === 'started' ? started.wallClock : '')
  const totalMs = manifest.facts.reduce((latest, fact) => Math.max(latest, lastMsOf(fact)), SHORTEST_MS)
  const tracks = divideMixes(manifest, tracksOf(manifest))
  const owners = Map.groupBy(tracks, ownerOf)
  const unowned = new Set(tracks.filter(({ participantId, mix }) => participantId === null && !mix).map(ownerOf))
  const speech = Map.groupBy(speechOf(manifest, tracks), ({ speaker }) => speaker)
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
    gaps: joined(manifest.facts.filter((fact) => fact.fact === 'gap')),
    participants: participants.map((it) => ({ ...it, present: within(it.present, { fromMs: 0, toMs: totalMs }) })),
  }
}

/** Who spoke when. */
export function speechOf(
  { facts }: Manifest,
  tracks: readonly PlannedTrack[],
): readonly (Span & { readonly speaker: string; readonly known: boolean })[] {
  const owners = new Map(tracks.map((track) => [track.trackId, track.participantId]))
  return facts
    .filter((fact) => fact.fact === 'speech')
    .map(({ participantId, trackId, fromMs, toMs }) => {
      const known = participantId ?? owners.get(trackId) ?? null
      return { speaker: known ?? unnamed(trackId), known: known !== null, fromMs, toMs }
    })
}

/** All runs of a plan with their owner, in the order of their beginnings. */
export function runsOf(
  { participants }: MediaPlan,
  kind: TrackKind,
): readonly { readonly participant: PlannedParticipant; readonly run: Run }[] {
  return participants
    .flatMap((participant) => participant.runs[kind].map((run) => ({ participant, run })))
    .sort((a, b) => a.run.startMs - b.run.startMs)
}

/** Black and silent. */
export function darkness({ pauses, gaps }: MediaPlan): readonly Span[] {
  return joined([...pauses, ...gaps])
}

function participant(id: string, person: Person | undefined, tracks: readonly PlannedTrack[], speech: readonly Span[]): PlannedParticipant {
  const runs = { audio: runsIn(tracks, 'audio'), camera: runsIn(tracks, 'camera'), screen: runsIn(tracks, 'screen') }
  // Speech in a mix opens a track that may have no segments.
  const there = tracks
    .filter(({ segments }) => segments.length > 0)
    .map(({ segments }) => ({ fromMs: segments[0]?.startMs ?? 0, toMs: segments.at(-1)?.endMs ?? 0 }))
  return {
    id,
    name: person?.name ?? '',
    present: joined([...(person?.present ?? []), ...there], REJOIN_MS),
    audible: extentOf(runs.audio),
    visible: extentOf(runs.camera),
    sharing: extentOf(runs.screen),
    speaking: joined(speech, BREATH_MS),
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
    if (run && goesOn(run, segment, LONGEST_HOLE_MS[kind])) runs[runs.length - 1] = longer(run, segment)
    else runs.push(begun(trackId, kind, segment))
  }
  return runs
}

/** One voice comes in as many tracks as the meeting gave it names. Where two sound at once, they are two. */
function runsInTurns(tracks: readonly PlannedTrack[]): readonly Run[] {
  const runs: Run[] = []
  const turns = tracks.flatMap(({ trackId, kind, segments }) => segments.map((segment) => ({ trackId, kind, segment })))
  for (const { trackId, kind, segment } of turns.sort((a, b) => a.segment.startMs - b.segment.startMs)) {
    const at = runs.findLastIndex((run) => segment.startMs >= run.endMs - OVERLAP_MS && goesOn(run, segment, LONGEST_SILENCE_MS))
    const run = runs[at]
    if (run) runs[at] = longer(run, segment)
    else runs.push(begun(trackId, kind, segment))
  }
  return runs
}

function begun(trackId: string, kind: TrackKind, segment: PlannedSegment): Run {
  const { codec, width, height, startMs, endMs } = segment
  return { trackId, kind, codec, width, height, startMs, endMs, segments: [segment] }
}

const longer = (run: Run, segment: PlannedSegment): Run => ({ ...run, endMs: segment.endMs, segments: [...run.segments, segment] })

function goesOn(last: Run, next: PlannedSegment, longestHoleMs: number): boolean {
  const isAlike = last.codec === next.codec && last.width === next.width && last.height === next.height
  return isAlike && next.startMs - last.endMs <= longestHoleMs
}

/** A new size is a new run and no new appearance. */
function extentOf(runs: readonly Run[]): readonly Span[] {
  const tracks = [...Map.groupBy(runs, ({ trackId }) => trackId).values()]
  const spans = tracks.flatMap((of) =>
    joined(
      of.map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: endMs })),
      LONGEST_HOLE_MS[of[0]?.kind ?? 'audio'],
    ),
  )
  return joined(spans, REJOIN_MS)
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
  return joined(sinceMs === null ? pauses : [...pauses, { fromMs: sinceMs, toMs: totalMs }])
}

function lastMsOf(fact: ManifestFact): number {
  if (fact.fact === 'segment') return fact.endMs
  if (fact.fact === 'synced') return fact.segments.reduce((latest, { endMs }) => Math.max(latest, endMs), 0)
  if ('toMs' in fact) return fact.toMs
  return 'atMs' in fact ? fact.atMs : 0
}

/** Whose a source is may never have been told. It is then somebody of its own. */
const unnamed = (what: string): string => `unnamed:${what}`
const ownerOf = ({ participantId, trackId }: PlannedTrack): string => participantId ?? unnamed(trackId)
/** Where the manifest has speech at all, an unowned track without speech or video is an unused lane and no person. */
const isSilent = ({ runs, speaking }: PlannedParticipant): boolean => speaking.length === 0 && runs.camera.length + runs.screen.length === 0
const firstOf = ({ present }: PlannedParticipant): number => present[0]?.fromMs ?? 0
