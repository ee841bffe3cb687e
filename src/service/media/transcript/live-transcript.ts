// Stores the final live words as a transcript: for a live-only provider they are the only transcript of the meeting.
import type { Manifest, SaidFact } from '../../../domain/recording.ts'
import { liveProviderOf, worksLive } from '../../../domain/speech-providers.ts'
import { countWords, turnsOf } from '../../../domain/transcript.ts'
import type { ObjectStore } from '../../../storage/store.ts'
import type { Db } from '../../db/database.ts'
import type { DueRecording } from '../../db/media/recordings.ts'
import { keepTranscription, liveFailureOf } from '../../db/media/transcriptions.ts'
import { apiTurns, storeTranscript, transcriptKeys } from './transcript-file.ts'

type Keeping = { readonly db: Db; readonly store: ObjectStore; readonly now: () => Date }

export type LiveTranscript = { readonly id: string; readonly words: number; readonly error: string | null }

/** Null: no live words were requested, or another provider makes the transcript and there are no live words to store. */
export async function storeLiveTranscript(
  { db, store, now }: Keeping,
  bot: DueRecording,
  { facts }: Manifest,
): Promise<LiveTranscript | null> {
  const { spec, id: botId } = bot
  const said = facts.filter((fact) => fact.fact === 'said')
  const provider = liveProviderOf(spec.transcript.provider, spec.liveWords !== null)
  if (!provider || (said.length === 0 && !worksLive(spec.transcript.provider))) return null

  const turns = turnsOf(said.map(voiceOf))
  const words = countWords(turns)
  // Without final words, a failure of the live recogniser explains the empty transcript.
  const error = said.length === 0 ? await liveFailureOf(db, botId) : null
  // Derived from the bot's id, so that a repeated step overwrites the same transcript.
  const id = botId.replace(/^bot_/, 'trn_')
  const keys = transcriptKeys(botId, id)
  const recordedAt = facts.find((fact) => fact.fact === 'started')?.wallClock ?? null
  if (error === null)
    await storeTranscript(store, keys, { processed: apiTurns(turns, recordedAt), raw: said.map(({ fact: _, ...it }) => it) })
  const isKept = await keepTranscription(db, { id, botId, provider, options: spec.transcript.options, words, error, at: now() })
  if (!isKept) await store.remove([keys.processed, keys.raw])
  return { id, words, error }
}

const voiceOf = (said: SaidFact) => ({ speakerId: said.participantId, speaker: said.name, startSeconds: 0, utterances: [said] })
