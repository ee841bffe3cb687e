// Requests and answers of the transcript routes.
import Type from 'typebox'
import { AnyObject, Line, Moment, Nullable } from '../schema.ts'

const Seconds = Type.Number({ description: 'Seconds after the start of the recording.' })
const Confidence = Type.Number({ description: '0 to 1.' })

const Word = Type.Object({
  word: Type.String(),
  start: Seconds,
  end: Seconds,
  confidence: Confidence,
  speaker: Type.String(),
  punctuated_word: Type.String(),
  speech_confidence: Confidence,
})

const Segment = Type.Object({
  speaker: Type.String(),
  speaker_id: Type.String(),
  transcript: Type.String(),
  text: Type.String({ description: 'Same as transcript.' }),
  start_time: Seconds,
  end_time: Seconds,
  absolute_start_time: Nullable(Moment),
  absolute_end_time: Nullable(Moment),
  speaker_confidence: Confidence,
  words: Type.Array(Word),
})

export const TranscriptParams = Type.Object({ transcript_id: Type.String() })

export const TranscriptQuery = Type.Object({
  raw: Type.Optional(Type.Boolean({ default: false, description: 'true: the provider’s raw answers, one entry per stream.' })),
  format: Type.Optional(
    Type.Enum(['json', 'srt', 'vtt', 'txt'], { default: 'json', description: 'srt, vtt and txt are answered as text.' }),
  ),
})

export const Transcript = Type.Array(Segment, { description: 'Sorted by start time.' })

export const TranscribeBody = Type.Object({
  provider: Type.Optional(Type.Union([Type.String(), AnyObject], { title: 'a provider id, or an object with one key' })),
  callback_url: Type.Optional(Line({ description: 'Receives the result of this run instead of the bot’s callback_url.' })),
})

export const TranscribeAnswer = Type.Object({
  bot_id: Type.String(),
  transcript_id: Type.String(),
  provider: Type.String(),
  message: Type.String(),
})

export const Transcriptions = Type.Object({
  bot_id: Type.String(),
  transcriptions: Type.Array(
    Type.Object({
      transcript_id: Type.String(),
      provider: Type.String(),
      status: Type.Enum(['Processing', 'Success', 'Failed']),
      created_at: Moment,
      config: AnyObject,
      error: Type.Optional(Type.String()),
      download_urls: Nullable(Type.Object({ raw_transcript: Type.String(), processed_transcript: Type.String() })),
    }),
  ),
})
