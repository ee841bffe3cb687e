// Writes and reads stored transcripts: the processed segments in API form, and the provider's raw answer.
import type { BotId } from '../../../domain/bot.ts'
import type { Turn } from '../../../domain/transcript.ts'
import { mediaKey, type ObjectStore } from '../../../storage/store.ts'
import { retryLaterOnError } from '../retry-later.ts'

export type Segment = {
  readonly speaker: string
  readonly speaker_id: string
  readonly transcript: string
  readonly text: string
  readonly start_time: number
  readonly end_time: number
  readonly absolute_start_time: string | null
  readonly absolute_end_time: string | null
  readonly speaker_confidence: number
  readonly words: readonly {
    readonly word: string
    readonly start: number
    readonly end: number
    readonly confidence: number
    readonly speaker: string
    readonly punctuated_word: string
    readonly speech_confidence: number
  }[]
}

/** `recordedAt`: the time of second zero as ISO 8601; null: unknown. */
export function segmentsOf(turns: readonly Turn[], recordedAt: string | null): readonly Segment[] {
  const absolute = (seconds: number) => (recordedAt === null ? null : new Date(Date.parse(recordedAt) + seconds * 1000).toISOString())
  return turns.map(({ speaker, speakerId, text, start, end, words }) => ({
    speaker,
    speaker_id: speakerId,
    transcript: text,
    text,
    start_time: start,
    end_time: end,
    absolute_start_time: absolute(start),
    absolute_end_time: absolute(end),
    // Each participant has a separate track, so the speaker is certain.
    speaker_confidence: 1,
    words: words.map(({ word, punctuatedWord, start, end, confidence }) => ({
      word,
      start,
      end,
      confidence,
      speaker,
      punctuated_word: punctuatedWord,
      speech_confidence: confidence,
    })),
  }))
}

/** Replaces speaker names by the names that users gave them. */
export function renamed(segments: readonly Segment[], names: ReadonlyMap<string, string>): readonly Segment[] {
  return segments.map((segment) => {
    const speaker = names.get(segment.speaker_id)
    return speaker === undefined ? segment : { ...segment, speaker, words: segment.words.map((word) => ({ ...word, speaker })) }
  })
}

export type TranscriptKeys = { readonly processed: string; readonly raw: string }

export function transcriptKeys(bot: BotId, run: string): TranscriptKeys {
  return { processed: mediaKey(bot, `transcript-${run}.json`), raw: mediaKey(bot, `transcript-${run}-raw.json`) }
}

export async function storeTranscript(
  store: ObjectStore,
  keys: TranscriptKeys,
  content: { readonly processed: readonly Segment[]; readonly raw: unknown },
): Promise<void> {
  const contentType = 'application/json'
  await retryLaterOnError(store.put(keys.raw, Buffer.from(JSON.stringify(content.raw)), { contentType }))
  await retryLaterOnError(store.put(keys.processed, Buffer.from(JSON.stringify(content.processed)), { contentType }))
}

/** Null: there is no such transcript. */
export async function readSegments(store: ObjectStore, keys: TranscriptKeys): Promise<readonly Segment[] | null> {
  const object = await store.get(keys.processed)
  if (!object) return null
  const parts: Buffer[] = []
  for await (const part of object.stream) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString())
}
