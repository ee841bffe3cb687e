// Live words that were final become a transcript of their own: the record of a meeting whose provider works only while it runs.
import type { Manifest, SaidFact } from '../../domain/recording.ts'
import { liveProviderOf, worksLive } from '../../domain/speech-providers.ts'
import { countWords, turnsOf } from '../../domain/transcript.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { Db } from '../db/database.ts'
import type { DueRecording } from '../db/recordings.ts'
import { keepTranscription, liveFailureOf } from '../db/transcriptions.ts'
import { segmentsOf, storeTranscript, transcriptKeys } from './transcript-file.ts'

type Keeping = { readonly db: Db; readonly store: ObjectStore; readonly now: () => Date }

/** The transcript that the live words became. */
export type LiveRecord = { readonly id: string; readonly words: number; readonly error: string | null }

/** Null where there is none: no live words were wanted, or they are only an extra of another transcript and none were said. */
export async function keepLiveWords({ db, store, now }: Keeping, bot: DueRecording, { facts }: Manifest): Promise<LiveRecord | null> {
  const { spec, id: botId } = bot
  const said = facts.filter((fact) => fact.fact === 'said')
  const provider = liveProviderOf(spec.transcript.provider, spec.liveWords !== null)
  if (!provider || (said.length === 0 && !worksLive(spec.transcript.provider))) return null

  const turns = turnsOf(said.map(voiceOf))
  const words = countWords(turns)
  // There was no speech, or no recogniser.
  const error = said.length === 0 ? await liveFailureOf(db, botId) : null
  // Known before it is written, so that whoever repeats this writes the same.
  const id = botId.replace(/^bot_/, 'trn_')
  const keys = transcriptKeys(botId, id)
  const recordedAt = facts.find((fact) => fact.fact === 'started')?.wallClock ?? null
  if (error === null)
    await storeTranscript(store, keys, { processed: segmentsOf(turns, recordedAt), raw: said.map(({ fact: _, ...it }) => it) })
  const isKept = await keepTranscription(db, { id, botId, provider, options: spec.transcript.options, words, error, at: now() })
  if (!isKept) await store.remove([keys.processed, keys.raw])
  return { id, words, error }
}

const voiceOf = (said: SaidFact) => ({ speakerId: said.participantId, speaker: said.name, startSeconds: 0, utterances: [said] })
