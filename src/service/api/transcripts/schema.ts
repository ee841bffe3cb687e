// Requests and answers of the transcript routes.
import Type from 'typebox'
import { AnyObject, Moment, NamedObject, Nullable, named, published, Url } from '../schema.ts'
import { ProviderOrName } from '../speech-providers/schema.ts'

const Seconds = Type.Number({ description: 'Seconds after the start of the recording.' })
const Confidence = Type.Number({ description: '0 to 1.' })

export const Word = NamedObject('Word', {
  word: Type.String(),
  start: Seconds,
  end: Seconds,
  confidence: Confidence,
  speaker: Type.String(),
  punctuated_word: Type.String(),
  speech_confidence: Confidence,
})

const Segment = NamedObject('TranscriptSegment', {
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

const Transcript = named('Transcript', Type.Array(Segment, { description: 'Sorted by start time.' }))

const RawStream = NamedObject('RawStream', {
  participant_id: Type.String(),
  participant_name: Type.String(),
  start_offset: Seconds,
  answer: Type.Unsafe<unknown>({ description: 'The provider’s answer, unchanged.', examples: [{ results: [] }] }),
})
const RawTranscript = named(
  'RawTranscript',
  Type.Array(RawStream, { description: 'The provider’s raw answers, one entry per stream. Only with `raw=true`.' }),
)

/** Raw answers are sent as they are stored. */
export const TranscriptAnswer = published(Type.Array(Segment, { description: 'Sorted by start time.' }), {
  anyOf: [Transcript, RawTranscript],
})

export const TranscribeBody = NamedObject('TranscribeRequest', {
  provider: Type.Optional(ProviderOrName({ title: 'a provider id, or an object with one key' })),
  callback_url: Type.Optional(Url('Receives the result of this run instead of the bot’s callback_url.')),
})

export const TranscribeAnswer = NamedObject('TranscriptionStarted', {
  bot_id: Type.String(),
  transcript_id: Type.String(),
  provider: Type.String(),
  message: Type.String(),
})

export const Transcriptions = NamedObject('Transcriptions', {
  bot_id: Type.String(),
  transcriptions: Type.Array(
    NamedObject('Transcription', {
      transcript_id: Type.String(),
      provider: Type.String(),
      status: Type.Enum(['Processing', 'Success', 'Failed']),
      created_at: Moment,
      config: AnyObject,
      error: Type.Optional(Type.String()),
      download_urls: Nullable(NamedObject('TranscriptDownloads', { raw_transcript: Type.String(), processed_transcript: Type.String() })),
    }),
  ),
})
