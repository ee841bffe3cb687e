// Tracks of a recording in which two sessions of the bot overlap: in a planned hand-over, or when a session was lost that still recorded.
import { type Manifest, type Track, tracksOf } from '../../domain/recording.ts'
import type { PlannedSegment, PlannedTrack } from './divided-mix.ts'

/** The tracks of participants, each moment once, and without those of the bot itself. */
export function tracksOnce(manifest: Manifest): readonly PlannedTrack[] {
  const own = ownParticipants(manifest)
  const tracks = tracksOf(manifest).filter(({ participantId }) => participantId === null || !own.has(participantId))
  const alike = Map.groupBy(tracks, sourceOf)
  return tracks.map((track) => endBefore(track, firstMsAfter(sessionOf(track), alike.get(sourceOf(track)) ?? [])))
}

/** The participants that are another session of the bot. */
export function ownParticipants({ facts }: Manifest): ReadonlySet<string> {
  return new Set(facts.flatMap((it) => (it.fact === 'own' ? [it.participantId] : [])))
}

/** Tracks with the same media, if their sessions ran at the same time. */
const sourceOf = ({ kind, participantId, mix, trackId }: Track): string => `${kind} ${participantId ?? (mix ? 'mix' : trackId)}`

/** The ids of tracks begin with the number of their session. */
const sessionOf = ({ trackId }: Track): number => Number.parseInt(trackId, 10)

/** When the media begins in a later session. */
function firstMsAfter(session: number, tracks: readonly Track[]): number {
  const later = tracks.filter((it) => sessionOf(it) > session)
  return Math.min(...later.map(({ segments }) => segments[0]?.startMs ?? Number.POSITIVE_INFINITY))
}

/** The earlier session ends where the later one has the same media: its end may be cut off, but the later one begins with a key frame. */
function endBefore(track: Track, toMs: number): PlannedTrack {
  const before = track.segments.filter(({ startMs }) => startMs < toMs)
  const segments = before.map(
    (it): PlannedSegment => (it.endMs <= toMs ? it : { ...it, endMs: toMs, within: { fromMs: it.startMs, toMs } }),
  )
  return { ...track, segments }
}
