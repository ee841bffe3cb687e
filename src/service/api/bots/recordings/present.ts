// Maps recorded artefacts to their API answers.
import type { Static } from 'typebox'
import type { Bot } from '../../../../domain/bot.ts'
import type { Artefact } from '../../../db/media/recordings.ts'
import type { MediaFile } from '../../../media/file-cache.ts'
import type { Signer } from '../../media/signer.ts'
import type { Audio, AudioStreams, Video, VideoStreams } from './schema.ts'

/** The metadata that `service/media` stores with an artefact. */
type Facts = Omit<MediaFile, 'file' | 'contentType'> & { readonly participantId?: string; readonly participantName?: string }

const factsOf = ({ facts }: Artefact): Facts => facts as Facts
const only = (made: readonly Artefact[]): Artefact => {
  const [first] = made
  if (!first) throw new Error('recordings: no artefact to present')
  return first
}

export function presentAudio(bot: Bot, made: readonly Artefact[], sign: Signer): Static<typeof Audio> {
  const it = only(made)
  const format = it.key.slice(it.key.lastIndexOf('.') + 1)
  const { url, expiresAt } = sign(it.key, `${bot.id}.${format}`)
  return { audio_url: url, expires_at: expiresAt.toISOString(), format, duration: factsOf(it).durationMs / 1000 }
}

export function presentVideo(bot: Bot, made: readonly Artefact[], sign: Signer): Static<typeof Video> {
  const it = only(made)
  const { durationMs, bytes, width, height, fps } = factsOf(it)
  const { url, expiresAt } = sign(it.key, `${bot.id}.mp4`)
  return {
    video_url: url,
    expires_at: expiresAt.toISOString(),
    video_info: { duration: durationMs / 1000, size_mb: Math.round(bytes / 1e4) / 100, resolution: `${width}x${height}`, fps: fps ?? 0 },
  }
}

export function presentAudioStreams(bot: Bot, made: readonly Artefact[], sign: Signer): Static<typeof AudioStreams> {
  const participants = byParticipant(made, sign, ({ sampleRate, channels }) => ({
    sample_rate: sampleRate ?? 48_000,
    channels: channels ?? 1,
  }))
  return { bot_id: bot.id, audio_status: 'Success', audio_streams_available: made.length > 0, participants, summary: summed(participants) }
}

export function presentVideoStreams(bot: Bot, made: readonly Artefact[], sign: Signer): Static<typeof VideoStreams> {
  const picture = ({ width, height }: Facts) => ({ width: width ?? 0, height: height ?? 0 })
  const of = (kind: string) =>
    byParticipant(
      made.filter((it) => it.kind === kind),
      sign,
      picture,
    )
  const [participants, screenshares] = [of('video_stream'), of('screen_stream')]
  return {
    bot_id: bot.id,
    video_status: 'Success',
    video_streams_available: made.length > 0,
    participants,
    screenshares,
    summary: summed(participants),
  }
}

const streamId = (participant: string, { kind }: Artefact): string => `${participant}:${kind}`

export function streamIdsOf(participant: string, streams: readonly Artefact[]): string[] {
  const own = streams.filter((it) => factsOf(it).participantId === participant)
  return [...new Set(own.map((it) => streamId(participant, it)))]
}

function byParticipant<Extra extends object>(made: readonly Artefact[], sign: Signer, extra: (facts: Facts) => Extra) {
  const people = Map.groupBy(made, (it) => factsOf(it).participantId ?? '')
  return [...people].map(([participant_id, files]) => ({
    participant_name: factsOf(only(files)).participantName ?? '',
    participant_id,
    streams: [
      { stream_id: streamId(participant_id, only(files)), segments: files.map((file, index) => segmentOf(file, index, sign, extra)) },
    ],
  }))
}

function segmentOf<Extra extends object>(file: Artefact, index: number, sign: Signer, extra: (facts: Facts) => Extra) {
  const facts = factsOf(file)
  return {
    segment_index: index,
    url: sign(file.key).url,
    filename: file.key.slice(file.key.lastIndexOf('/') + 1),
    start_offset: facts.startMs / 1000,
    duration_seconds: facts.durationMs / 1000,
    codec: facts.codec,
    ...extra(facts),
  }
}

function summed(participants: readonly { readonly streams: readonly { readonly segments: readonly unknown[] }[] }[]) {
  const total_segments = participants.reduce((sum, { streams }) => sum + streams.reduce((all, { segments }) => all + segments.length, 0), 0)
  return { total_participants: participants.length, total_segments }
}
