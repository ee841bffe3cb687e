// Reads of a bot's recordings: 202 until they are made, 404 with the reason if there are none.
import { text } from 'node:stream/consumers'
import type { Static, TSchema } from 'typebox'
import type { Bot } from '../../../../domain/bot.ts'
import { ServiceError } from '../../../../domain/errors.ts'
import { type Artefact, type ArtefactKind, listArtefacts } from '../../../db/media/recordings.ts'
import { AUDIO_FORMATS } from '../../../media/audio/convert.ts'
import type { Api, ApiDeps } from '../../deps.ts'
import { LinkQuery, type Signer, signerFor } from '../../media/signer.ts'
import { BotParams, operationsOf, problems } from '../../schema.ts'
import { keptBotIn } from '../find-bot.ts'
import { isProcessingOver, notMade } from '../not-ready.ts'
import { presentAudio, presentAudioStreams, presentVideo, presentVideoStreams } from './present.ts'
import { Audio, AudioQuery, AudioStreams, SpeakerTimeline, Video, VideoStreams } from './schema.ts'

const operation = operationsOf('Recordings')

type Read = {
  readonly path: string
  readonly what: string
  readonly operationId: string
  readonly kinds: readonly ArtefactKind[]
  readonly answer: TSchema
  readonly query?: TSchema
  /** True: these files are stored one by one, and the timeline after the last. */
  readonly isList?: true
  readonly asked: (bot: Bot) => boolean
  readonly present: (bot: Bot, made: readonly Artefact[], sign: Signer) => object
}

const READS: readonly Read[] = [
  {
    path: 'get_audio',
    what: 'audio recording',
    operationId: 'getAudio',
    kinds: ['audio'],
    answer: Audio,
    query: AudioQuery,
    asked: ({ spec }) => spec.audio,
    present: presentAudio,
  },
  {
    path: 'get_video',
    what: 'video recording',
    operationId: 'getVideo',
    kinds: ['video'],
    answer: Video,
    asked: ({ spec }) => spec.video,
    present: presentVideo,
  },
  {
    path: 'get_recording_streams',
    what: 'per-participant video',
    operationId: 'getRecordingStreams',
    answer: VideoStreams,
    kinds: ['video_stream', 'screen_stream'],
    isList: true,
    asked: ({ spec }) => spec.video && spec.separateVideo,
    present: presentVideoStreams,
  },
  {
    path: 'get_audio_streams',
    what: 'per-participant audio',
    operationId: 'getAudioStreams',
    answer: AudioStreams,
    kinds: ['audio_stream'],
    isList: true,
    asked: ({ spec }) => spec.audio && spec.separateAudio,
    present: presentAudioStreams,
  },
]

export function artefactRoutes(app: Api, deps: ApiDeps): void {
  for (const { path, what, operationId, kinds, answer, query = LinkQuery, isList, asked, present } of READS) {
    const schema = operation(operationId, `Read the ${what}`, {
      params: BotParams,
      querystring: query,
      response: { 200: answer, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
    })
    app.get(`/bots/:bot_id/${path}`, { schema }, async (request) => {
      const bot = await keptBotIn(request, deps)
      if (!asked(bot)) throw notAsked(bot, what, isList ?? false)
      const { format, ...link } = request.query as { expires_in?: number; format?: string }
      const stored = await listArtefacts(deps.db, bot.id, ...kinds, 'speaker_timeline')
      const made = stored.filter(({ kind }) => kind !== 'speaker_timeline')
      const mayGrow = isList && made.length === stored.length && !isProcessingOver(bot)
      if (made.length === 0 || mayGrow) throw notMade(bot, what)
      const wanted = await inFormat(deps, bot, format, made)
      return present(bot, wanted, await signerFor(deps, bot, link))
    })
  }
  timelineRoute(app, deps)
}

/** The specification answers 202 for streams until the bot has left, whatever it was created with. */
function notAsked(bot: Bot, what: string, isList: boolean): ServiceError {
  if (isList && bot.endedAt === null) return notMade(bot, what)
  return new ServiceError('nothing_made', `There is no ${what}: the bot was created without it.`)
}

/** A request waits this long for a conversion before it answers 202. */
const CONVERSION_WAIT_MS = 10_000

async function inFormat({ audioFormats }: ApiDeps, bot: Bot, wanted: string | undefined, made: readonly Artefact[]) {
  const format = AUDIO_FORMATS.find((it) => it === wanted)
  if (!format) return made
  const it = await audioFormats.find(bot.id, format, CONVERSION_WAIT_MS)
  if (!it) throw new ServiceError('not_ready', `The audio is being converted to ${format}. Poll again.`, { audio_status: 'in_progress' })
  return [it]
}

/** Answers the stored JSON itself; other recordings are answered as links. */
function timelineRoute(app: Api, deps: ApiDeps): void {
  const schema = operation('getSpeakerTimeline', 'Read the speaker timeline', {
    params: BotParams,
    response: { 200: SpeakerTimeline, ...problems('not_ready', 'bot_not_found', 'nothing_made') },
  })
  app.get('/bots/:bot_id/get_speaker_timeline', { schema }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const [made] = await listArtefacts(deps.db, bot.id, 'speaker_timeline')
    const object = made && (await deps.store.get(made.key))
    if (!object) throw notMade(bot, 'speaker timeline')
    return withMoments(JSON.parse(await text(object.stream)))
  })
}

type Timeline = Static<typeof SpeakerTimeline>
type StoredTimeline = Omit<Timeline, 'chunks' | 'rooms' | 'lastUpdated'> & {
  readonly chunks: readonly (Omit<Timeline['chunks'][number], 'room' | 'timestamp'> & { readonly timestamp: unknown })[]
  readonly lastUpdated: unknown
}

/** Earlier versions stored times as milliseconds since 1970, and no rooms. */
function withMoments(stored: StoredTimeline): Timeline {
  const moment = (value: unknown) => (typeof value === 'number' ? new Date(value).toISOString() : value)
  const chunks = stored.chunks.map((chunk) => ({ room: null, ...chunk, timestamp: moment(chunk.timestamp) }))
  return { rooms: [], ...stored, chunks, lastUpdated: moment(stored.lastUpdated) } as Timeline
}
