// Builds the speaker timeline: each participant's speech, as byte offsets and seconds in the mixed audio.
import type { Manifest } from '../../../domain/recording.ts'
import { type MediaPlan, speechOf } from '../plan.ts'
import { roomIn } from '../rooms.ts'
import { mergeSpans } from '../span.ts'

const SAMPLE_RATE = 48_000
const BYTES_PER_MS = (SAMPLE_RATE * 2) / 1000
/** Speech spans this close are one chunk. */
const BREATH_MS = 500

/** `lastUpdated` is the end of the session. Overlapping speech has one chunk for each speaker. */
export function speakerTimeline(manifest: Manifest, { participants, startedAt, totalMs, rooms }: MediaPlan) {
  const names = new Map(participants.map(({ id, name }) => [id, name]))
  const moment = (ms: number): string | null => (startedAt === null ? null : new Date(startedAt + ms).toISOString())
  const speakers = Map.groupBy(speechOf(manifest), ({ speaker }) => speaker)
  const spans = [...speakers].flatMap(([speaker, speech]) => {
    const isKnown = speech.some(({ known }) => known)
    // The platform may not have named the speaker.
    const identity = isKnown ? { speakerId: speaker, speakerName: names.get(speaker) ?? null } : { speakerId: null, speakerName: null }
    return mergeSpans(speech, BREATH_MS).map((span) => ({ ...span, ...identity }))
  })
  const chunks = spans
    .sort((a, b) => a.fromMs - b.fromMs)
    .map(({ fromMs, toMs, speakerId, speakerName }, chunkIndex) => ({
      chunkIndex,
      timestamp: moment(fromMs),
      sampleRate: SAMPLE_RATE,
      speakerId,
      speakerName,
      room: roomIn(rooms, { fromMs, toMs }),
      // In 16-bit mono PCM of the mixed audio.
      startByte: fromMs * BYTES_PER_MS,
      endByte: toMs * BYTES_PER_MS,
      start: fromMs / 1000,
      end: toMs / 1000,
    }))
  const stays = rooms.map(({ name, fromMs, toMs }) => ({ name, start: fromMs / 1000, end: toMs / 1000 }))
  return { chunks, rooms: stays, lastUpdated: moment(totalMs), totalFileSize: totalMs * BYTES_PER_MS }
}
