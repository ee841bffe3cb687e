// Live words that were final become a transcript of their own: the record of a meeting whose provider works only while it runs.
import type { Manifest, SaidFact } from '../../domain/recording.ts'
import { liveProviderOf } from '../../domain/speech-providers.ts'
import { countWords, turnsOf } from '../../domain/transcript.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { Db } from '../db/database.ts'
import type { DueRecording } from '../db/recordings.ts'
import { keepTranscription } from '../db/transcriptions.ts'
import { segmentsOf, storeTranscript, transcriptKeys } from './transcript-file.ts'

type Keeping = { readonly db: Db; readonly store: ObjectStore; readonly now: () => Date }

/** Answers how many words there were. Done again, it keeps the same. */
export async function keepLiveWords({ db, store, now }: Keeping, bot: DueRecording, { facts }: Manifest): Promise<number> {
  const { spec, id: botId } = bot
  const said = facts.filter((fact) => fact.fact === 'said')
  const provider = liveProviderOf(spec.transcript.provider, spec.liveWords !== null)
  if (said.length === 0 || !provider) return 0

  const turns = turnsOf(said.map(voiceOf))
  const words = countWords(turns)
  // Known before it is written, so that whoever repeats this writes the same.
  const id = botId.replace(/^bot_/, 'trn_')
  const keys = transcriptKeys(botId, id)
  const recordedAt = facts.find((fact) => fact.fact === 'started')?.wallClock ?? null
  await storeTranscript(store, keys, { processed: segmentsOf(turns, recordedAt), raw: said.map(({ fact: _, ...it }) => it) })
  const isKept = await keepTranscription(db, { id, botId, provider, options: spec.transcript.options, words, at: now() })
  if (!isKept) await store.remove([keys.processed, keys.raw])
  return words
}

const voiceOf = (said: SaidFact) => ({ speakerId: said.participantId, speaker: said.name, startSeconds: 0, utterances: [said] })
