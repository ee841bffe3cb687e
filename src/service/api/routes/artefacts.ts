// What a bot brings back. A bot that is not done answers 202; one that made nothing says so, and why.

import type { Static, TSchema } from 'typebox'
import type { Bot } from '../../../domain/bot.ts'
import { sentenceOf } from '../../../domain/counted.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { type Artefact, type ArtefactKind, listArtefacts } from '../../db/recordings.ts'
import { AUDIO_FORMATS } from '../../media/convert.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { presentAudio, presentAudioStreams, presentVideo, presentVideoStreams } from '../present-recordings.ts'
import { BotParams, problems } from '../schemas/common.ts'
import { LinkQuery } from '../schemas/meetings.ts'
import { Audio, AudioQuery, AudioStreams, SpeakerTimeline, Video, VideoStreams } from '../schemas/recordings.ts'
import { keptBotIn } from './find-bot.ts'
import { type Signer, signerFor } from './media.ts'

type Read = {
  readonly path: string
  readonly what: string
  readonly operationId: string
  readonly kinds: readonly ArtefactKind[]
  readonly answer: TSchema
  readonly query?: TSchema
  readonly asked: (bot: Bot) => boolean
  readonly present: (bot: Bot, made: readonly Artefact[], sign: Signer) => object
}

const READS: readonly Read[] = [
  {
    ...{ path: 'get_audio', what: 'audio recording', operationId: 'getAudio', kinds: ['audio'], answer: Audio, query: AudioQuery },
    asked: ({ spec }) => spec.audio,
    present: presentAudio,
  },
  {
    ...{ path: 'get_video', what: 'video recording', operationId: 'getVideo', kinds: ['video'], answer: Video },
    asked: ({ spec }) => spec.video,
    present: presentVideo,
  },
  {
    ...{ path: 'get_recording_streams', what: 'per-participant video', operationId: 'getRecordingStreams', answer: VideoStreams },
    kinds: ['video_stream', 'screen_stream'],
    asked: ({ spec }) => spec.video && spec.separateVideo,
    present: presentVideoStreams,
  },
  {
    ...{ path: 'get_audio_streams', what: 'per-participant audio', operationId: 'getAudioStreams', answer: AudioStreams },
    kinds: ['audio_stream'],
    asked: ({ spec }) => spec.audio && spec.separateAudio,
    present: presentAudioStreams,
  },
]

export function artefactRoutes(app: Api, deps: ApiDeps): void {
  for (const { path, what, operationId, kinds, answer, query = LinkQuery, asked, present } of READS) {
    const schema = {
      summary: `The bot’s ${what}`,
      operationId,
      tags: ['Recordings'],
      params: BotParams,
      querystring: query,
      response: { 200: answer, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
    }
    app.get(`/bots/:bot_id/${path}`, { schema }, async (request) => {
      const bot = await keptBotIn(request, deps)
      if (!asked(bot)) throw new ServiceError('nothing_made', `There is no ${what}: it was not asked for.`)
      const { format, ...link } = request.query as { expires_in?: number; format?: string }
      const made = await listArtefacts(deps.db, bot.id, ...kinds)
      if (made.length === 0) throw notMade(bot, what)
      const wanted = await inFormat(deps, bot, format, made)
      return present(bot, wanted, await signerFor(deps, bot, link))
    })
  }
  timelineRoute(app, deps)
}

/** So long a caller waits for a format that is being made; then it asks again. */
const CONVERSION_WAIT_MS = 10_000

async function inFormat({ audioFormats }: ApiDeps, bot: Bot, wanted: string | undefined, made: readonly Artefact[]) {
  const format = AUDIO_FORMATS.find((it) => it === wanted)
  if (!format) return made
  const it = await audioFormats.find(bot.id, format, CONVERSION_WAIT_MS)
  if (!it) throw new ServiceError('not_ready', `The audio is being made as ${format}.`, { audio_status: 'in_progress' })
  return [it]
}

/** Answered as it was made, because it is data and no medium. */
function timelineRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Who spoke when',
    operationId: 'getSpeakerTimeline',
    tags: ['Recordings'],
    params: BotParams,
    response: { 200: SpeakerTimeline, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
  }
  app.get('/bots/:bot_id/get_speaker_timeline', { schema }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const [made] = await listArtefacts(deps.db, bot.id, 'speaker_timeline')
    const object = made && (await deps.store.get(made.key))
    if (!object) throw notMade(bot, 'speaker timeline')
    const parts: Buffer[] = []
    for await (const part of object.stream) parts.push(part as Buffer)
    return withMoments(JSON.parse(Buffer.concat(parts).toString()))
  })
}

type StoredTimeline = { readonly chunks: readonly { readonly timestamp: unknown }[]; readonly lastUpdated: unknown }

/** Timelines that an earlier version stored have milliseconds since 1970 where a moment stands now. */
function withMoments(stored: StoredTimeline): Static<typeof SpeakerTimeline> {
  const moment = (value: unknown) => (typeof value === 'number' ? new Date(value).toISOString() : value)
  const chunks = stored.chunks.map((chunk) => ({ ...chunk, timestamp: moment(chunk.timestamp) }))
  return { ...stored, chunks, lastUpdated: moment(stored.lastUpdated) } as Static<typeof SpeakerTimeline>
}

/** Why there is none of what is kept during the meeting: not yet, or never. */
export function notThere(bot: Bot, what: string): ServiceError {
  return missing(bot, what, TERMINAL.has(bot.status))
}

/** The same of what is made after the call. */
export function notMade(bot: Bot, what: string): ServiceError {
  return missing(bot, what, isOver(bot))
}

function missing(bot: Bot, what: string, isForGood: boolean): ServiceError {
  const are = what.endsWith('s') ? 'are' : 'is'
  if (isForGood) return new ServiceError('nothing_made', `There ${are} no ${what}: the bot recorded nothing. ${sentenceOf(bot.message)}`)
  return new ServiceError('not_ready', `The ${what} ${are} not ready. Current status: ${bot.status}`, {
    audio_status: 'in_progress',
    video_status: 'in_progress',
  })
}

/** Nothing more will be made of what it recorded. */
export function isOver({ status, timeline, delivered }: Bot): boolean {
  if (!TERMINAL.has(status)) return false
  const mayBringSomething = status === 'Stopped' || status === 'Kicked' || ('Recording' in timeline && status === 'Error')
  return !mayBringSomething || delivered !== null
}
