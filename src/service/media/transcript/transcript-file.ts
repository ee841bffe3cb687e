// Writes and reads stored transcripts: the processed turns in API form, and the provider's raw answer.
import { json } from 'node:stream/consumers'
import type { BotId } from '../../../domain/bot.ts'
import { publishedWords, type Turn } from '../../../domain/transcript.ts'
import { mediaKey, type ObjectStore } from '../../../storage/store.ts'
import { retryLaterOnError } from '../retry-later.ts'

export type ApiTurn = ReturnType<typeof apiTurns>[number]

/** `recordedAt`: the time of second zero as ISO 8601; null: unknown. */
export function apiTurns(turns: readonly Turn[], recordedAt: string | null) {
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
    words: publishedWords(words, speaker),
  }))
}

/** Replaces speaker names by the names that users gave them. */
export function renamed(turns: readonly ApiTurn[], names: ReadonlyMap<string, string>): readonly ApiTurn[] {
  return turns.map((turn) => {
    const speaker = names.get(turn.speaker_id)
    return speaker === undefined ? turn : { ...turn, speaker, words: turn.words.map((word) => ({ ...word, speaker })) }
  })
}

export type TranscriptKeys = { readonly processed: string; readonly raw: string }

export function transcriptKeys(bot: BotId, run: string): TranscriptKeys {
  return { processed: mediaKey(bot, `transcript-${run}.json`), raw: mediaKey(bot, `transcript-${run}-raw.json`) }
}

export async function storeTranscript(
  store: ObjectStore,
  keys: TranscriptKeys,
  content: { readonly processed: readonly ApiTurn[]; readonly raw: unknown },
): Promise<void> {
  const contentType = 'application/json'
  await retryLaterOnError(store.put(keys.raw, Buffer.from(JSON.stringify(content.raw)), { contentType }))
  await retryLaterOnError(store.put(keys.processed, Buffer.from(JSON.stringify(content.processed)), { contentType }))
}

/** Null: there is no such transcript. */
export async function readTurns(store: ObjectStore, keys: TranscriptKeys): Promise<readonly ApiTurn[] | null> {
  const object = await store.get(keys.processed)
  return object && ((await json(object.stream)) as readonly ApiTurn[])
}
