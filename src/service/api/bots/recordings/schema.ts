// Query and answers of the recording reads.
import Type from 'typebox'
import { AUDIO_FORMATS } from '../../../media/audio/convert.ts'
import { LinkQuery } from '../../media/schema.ts'
import { Moment, Nullable } from '../../schema.ts'

const Seconds = Type.Number({ description: 'Seconds.' })

const FORMATS = ['m4a', ...AUDIO_FORMATS] as const

export const AudioQuery = Type.Object({
  ...LinkQuery.properties,
  format: Type.Optional(
    Type.Union(
      FORMATS.map((format) => Type.Literal(format)),
      { default: 'm4a', description: 'Formats other than m4a are converted on the first request, which answers 202 until they are ready.' },
    ),
  ),
})

export const Audio = Type.Object({ audio_url: Type.String(), expires_at: Moment, format: Type.String(), duration: Seconds })

export const Video = Type.Object({
  video_url: Type.String(),
  expires_at: Moment,
  video_info: Type.Object({ duration: Seconds, size_mb: Type.Number(), resolution: Type.String(), fps: Type.Number() }),
})

const segment = {
  segment_index: Type.Integer(),
  url: Type.String(),
  filename: Type.String(),
  start_offset: Type.Number({ description: 'Seconds after the start of the recording.' }),
  duration_seconds: Seconds,
  codec: Type.String(),
}

const streamsOf = <Extra extends Record<string, ReturnType<typeof Nullable> | ReturnType<typeof Type.Integer>>>(extra: Extra) =>
  Type.Array(
    Type.Object({
      participant_name: Type.String(),
      participant_id: Type.String(),
      streams: Type.Array(Type.Object({ stream_id: Type.String(), segments: Type.Array(Type.Object({ ...segment, ...extra })) })),
    }),
  )

const summary = Type.Object({ total_participants: Type.Integer(), total_segments: Type.Integer() })
const sound = { sample_rate: Type.Integer(), channels: Type.Integer() }
const picture = { width: Type.Integer(), height: Type.Integer() }

export const AudioStreams = Type.Object({
  bot_id: Type.String(),
  audio_status: Type.String(),
  audio_streams_available: Type.Boolean(),
  participants: streamsOf(sound),
  summary,
})

export const VideoStreams = Type.Object({
  bot_id: Type.String(),
  video_status: Type.String(),
  video_streams_available: Type.Boolean(),
  participants: streamsOf(picture),
  screenshares: streamsOf(picture),
  summary,
})

export const SpeakerTimeline = Type.Object({
  chunks: Type.Array(
    Type.Object({
      chunkIndex: Type.Integer(),
      timestamp: Nullable(Moment),
      sampleRate: Type.Integer(),
      speakerId: Nullable(Type.String()),
      speakerName: Nullable(Type.String()),
      startByte: Type.Integer({ description: 'Byte offset in 16-bit mono PCM.' }),
      endByte: Type.Integer(),
      start: Seconds,
      end: Seconds,
    }),
  ),
  lastUpdated: Nullable(Moment),
  totalFileSize: Type.Integer(),
})
