// Query and answers of the recording reads.
import Type from 'typebox'
import { AUDIO_FORMATS } from '../../../media/audio/convert.ts'
import { LinkQuery } from '../../media/signer.ts'
import { Moment, NamedObject, Nullable } from '../../schema.ts'

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

export const Audio = NamedObject('Audio', { audio_url: Type.String(), expires_at: Moment, format: Type.String(), duration: Seconds })

export const Video = NamedObject('Video', {
  video_url: Type.String(),
  expires_at: Moment,
  video_info: NamedObject('VideoInfo', { duration: Seconds, size_mb: Type.Number(), resolution: Type.String(), fps: Type.Number() }),
})

const segment = {
  segment_index: Type.Integer(),
  url: Type.String(),
  filename: Type.String(),
  start_offset: Type.Number({ description: 'Seconds after the start of the recording.' }),
  duration_seconds: Seconds,
  codec: Type.String(),
}

/** `kind`: begins the names of the schemas. */
function streamsOf<Extra extends Record<string, ReturnType<typeof Type.Integer>>>(kind: string, extra: Extra) {
  const Segment = NamedObject(`${kind}Segment`, { ...segment, ...extra })
  const Stream = NamedObject(`${kind}Stream`, { stream_id: Type.String(), segments: Type.Array(Segment) })
  const owner = { participant_name: Type.String(), participant_id: Type.String(), streams: Type.Array(Stream) }
  return Type.Array(NamedObject(`${kind}StreamOwner`, owner))
}

const summary = NamedObject('StreamCount', { total_participants: Type.Integer(), total_segments: Type.Integer() })
const sound = { sample_rate: Type.Integer(), channels: Type.Integer() }
const picture = { width: Type.Integer(), height: Type.Integer() }

export const AudioStreams = NamedObject('AudioStreams', {
  bot_id: Type.String(),
  audio_status: Type.String(),
  audio_streams_available: Type.Boolean(),
  participants: streamsOf('Audio', sound),
  summary,
})

export const VideoStreams = NamedObject('VideoStreams', {
  bot_id: Type.String(),
  video_status: Type.String(),
  video_streams_available: Type.Boolean(),
  participants: streamsOf('Video', picture),
  screenshares: streamsOf('Screen', picture),
  summary,
})

export const SpeakerTimeline = NamedObject('SpeakerTimeline', {
  chunks: Type.Array(
    NamedObject('SpeakerChunk', {
      chunkIndex: Type.Integer(),
      timestamp: Nullable(Moment),
      sampleRate: Type.Integer(),
      speakerId: Nullable(Type.String()),
      speakerName: Nullable(Type.String()),
      room: Nullable(Type.String({ description: 'The breakout room of the speech; null: the main meeting.' })),
      startByte: Type.Integer({ description: 'Byte offset in 16-bit mono PCM.' }),
      endByte: Type.Integer(),
      start: Seconds,
      end: Seconds,
    }),
  ),
  rooms: Type.Array(NamedObject('RoomStay', { name: Type.String(), start: Seconds, end: Seconds }), {
    description: 'The breakout rooms in which the bot was.',
  }),
  lastUpdated: Nullable(Moment),
  totalFileSize: Type.Integer(),
})
