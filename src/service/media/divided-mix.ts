// Divides a mixed audio track among its speakers, for platforms where only captions name the speakers.
import type { Manifest, Track } from '../../domain/recording.ts'
import { clipSpans, mergeSpans, type Span } from './span.ts'

/** The platform's clock and ours differ by about this much, so audio this close to another participant's speech has no certain owner. */
const CLOCKS_APART_MS = 250
/** Less is the delay of the platform's messages, before or after a turn. */
const SHORTEST_SPEECH_MS = 500

/** `within`: only this span of the file. */
export type PlannedSegment = Track['segments'][number] & { readonly within?: Span }
export type PlannedTrack = Omit<Track, 'segments'> & { readonly segments: readonly PlannedSegment[] }

/** Other tracks are unchanged. Overlapping speech and speech without a speaker stay in the mix. */
export function divideMixes({ facts }: Manifest, tracks: readonly PlannedTrack[]): readonly PlannedTrack[] {
  return tracks.flatMap((track) => {
    if (!track.mix || track.participantId !== null) return [track]
    const speech = facts.flatMap((fact) =>
      fact.fact === 'speech' && fact.trackId === track.trackId && fact.participantId !== null
        ? [{ ...fact, participantId: fact.participantId }]
        : [],
    )
    return speech.length === 0
      ? [track]
      : divideMix(
          track,
          Map.groupBy(speech, ({ participantId }) => participantId),
        )
  })
}

/** Speech of which the platform named no speaker. Packets of a mix show speech as well, so this is what their named turns leave of it. */
export function unnamedSpeech({ fromMs, toMs }: Span, turns: readonly Span[]): readonly Span[] {
  return subtractHoles({ fromMs, toMs }, mergeSpans(turns)).filter((rest) => rest.toMs - rest.fromMs > SHORTEST_SPEECH_MS)
}

function divideMix(track: PlannedTrack, speech: ReadonlyMap<string, readonly Span[]>): readonly PlannedTrack[] {
  const whole = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const alone = [...speech].map(([participantId, spans]) => {
    const others = [...speech].filter(([id]) => id !== participantId).flatMap(([, it]) => it.map(widen))
    return { participantId, spans: mergeSpans(spans).flatMap((span) => subtractHoles(span, mergeSpans(others))) }
  })
  const { mix: _, ...plain } = track
  const parts = alone.map(({ participantId, spans }, index) => ({
    ...plain,
    trackId: `${track.trackId}-${index + 1}`,
    participantId,
    inTurns: true as const,
    segments: cutSegments(track, spans),
  }))
  const rest = subtractHoles(whole, mergeSpans(alone.flatMap(({ spans }) => spans)))
  return [{ ...track, inTurns: true as const, segments: cutSegments(track, rest) }, ...parts.filter(({ segments }) => segments.length > 0)]
}

const widen = ({ fromMs, toMs }: Span): Span => ({ fromMs: fromMs - CLOCKS_APART_MS, toMs: toMs + CLOCKS_APART_MS })

function cutSegments({ segments }: PlannedTrack, spans: readonly Span[]): readonly PlannedSegment[] {
  return segments.flatMap((segment) =>
    clipSpans(spans, { fromMs: segment.startMs, toMs: segment.endMs }).map((span) => ({
      ...segment,
      startMs: span.fromMs,
      endMs: span.toMs,
      within: span,
    })),
  )
}

/** `holes` are sorted and do not overlap. */
function subtractHoles({ fromMs, toMs }: Span, holes: readonly Span[]): readonly Span[] {
  const inside = holes.filter((hole) => hole.toMs > fromMs && hole.fromMs < toMs)
  const starts = [fromMs, ...inside.map((hole) => hole.toMs)]
  const ends = [...inside.map((hole) => hole.fromMs), toMs]
  return starts.map((start, index) => ({ fromMs: start, toMs: ends[index] ?? toMs })).filter((it) => it.toMs > it.fromMs)
}
