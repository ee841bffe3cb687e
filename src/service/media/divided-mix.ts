// Divides the sound of a mix among those of whom the platform says that they spoke: it names them only afterwards, in its captions.
import type { Manifest, Track } from '../../domain/recording.ts'
import { joined, type Span, within } from './span.ts'

/** The platform's clock and the recording's do not quite agree: so near to the speech of another nobody knows whose a sound is. */
const CLOCKS_APART_MS = 250

/** `within`: only this stretch of its file. */
export type PlannedSegment = Track['segments'][number] & { readonly within?: Span }
export type PlannedTrack = Omit<Track, 'segments'> & { readonly segments: readonly PlannedSegment[] }

/** The other tracks stay as they are. What two are said to have spoken at once stays in the mix, as does what nobody is said to have spoken. */
export function divideMixes({ facts }: Manifest, tracks: readonly Track[]): readonly PlannedTrack[] {
  return tracks.flatMap((track) => {
    if (!track.mix || track.participantId !== null) return [track]
    const speech = facts.flatMap((fact) =>
      fact.fact === 'speech' && fact.trackId === track.trackId && fact.participantId !== null
        ? [{ ...fact, participantId: fact.participantId }]
        : [],
    )
    return speech.length === 0
      ? [track]
      : divided(
          track,
          Map.groupBy(speech, ({ participantId }) => participantId),
        )
  })
}

function divided(track: Track, speech: ReadonlyMap<string, readonly Span[]>): readonly PlannedTrack[] {
  const whole = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
  const alone = [...speech].map(([participantId, spans]) => {
    const others = [...speech].filter(([id]) => id !== participantId).flatMap(([, it]) => it.map(widened))
    return { participantId, spans: joined(spans).flatMap((span) => without(span, joined(others))) }
  })
  const { mix: _, ...plain } = track
  const parts = alone.map(({ participantId, spans }, index) => ({
    ...{ ...plain, trackId: `${track.trackId}-${index + 1}`, participantId, inTurns: true as const },
    segments: cut(track, spans),
  }))
  const rest = without(whole, joined(alone.flatMap(({ spans }) => spans)))
  return [{ ...track, inTurns: true as const, segments: cut(track, rest) }, ...parts.filter(({ segments }) => segments.length > 0)]
}

const widened = ({ fromMs, toMs }: Span): Span => ({ fromMs: fromMs - CLOCKS_APART_MS, toMs: toMs + CLOCKS_APART_MS })

function cut({ segments }: Track, spans: readonly Span[]): readonly PlannedSegment[] {
  return segments.flatMap((segment) =>
    within(spans, { fromMs: segment.startMs, toMs: segment.endMs }).map((span) => ({
      ...{ ...segment, startMs: span.fromMs, endMs: span.toMs },
      within: span,
    })),
  )
}

/** `holes` are in order and apart. */
function without({ fromMs, toMs }: Span, holes: readonly Span[]): readonly Span[] {
  const inside = holes.filter((hole) => hole.toMs > fromMs && hole.fromMs < toMs)
  const starts = [fromMs, ...inside.map((hole) => hole.toMs)]
  const ends = [...inside.map((hole) => hole.fromMs), toMs]
  return starts.map((start, index) => ({ fromMs: start, toMs: ends[index] ?? toMs })).filter((it) => it.toMs > it.fromMs)
}
