// Post-call transcripts: read one, transcribe again, list all runs.
import type { FastifyReply } from 'fastify'
import type { Bot } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { worksLive } from '../../../domain/speech-providers.ts'
import { newId } from '../../../kit/id.ts'
import { findBotByTranscript } from '../../db/fleet/bots.ts'
import { listArtefacts } from '../../db/media/recordings.ts'
import { findSpeakerNames } from '../../db/media/speaker-names.ts'
import { beginTranscription, findTranscription, listTranscriptions, type Transcription } from '../../db/media/transcriptions.ts'
import { readTurns, renamed, transcriptKeys } from '../../media/transcript/transcript-file.ts'
import { callerOf } from '../auth.ts'
import { readTranscript } from '../bots/create/transcript.ts'
import { keptBotIn } from '../bots/find-bot.ts'
import { isProcessingOver, notMade } from '../bots/not-ready.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'
import { urlRules } from '../http/url-rules.ts'
import { LinkQuery, type Signer, signerFor } from '../media/signer.ts'
import { BotParams, operationsOf, problems } from '../schema.ts'
import { TranscribeAnswer, TranscribeBody, TranscriptAnswer, Transcriptions, TranscriptParams, TranscriptQuery } from './schema.ts'
import { TEXT_FORMATS } from './text-formats.ts'

const operation = operationsOf('Transcripts')

export function transcriptRoutes(app: Api, deps: ApiDeps): void {
  readRoute(app, deps)
  runRoutes(app, deps)
}

function readRoute(app: Api, deps: ApiDeps): void {
  const schema = operation('getTranscript', 'Read a transcript', {
    params: TranscriptParams,
    querystring: TranscriptQuery,
    response: { 200: TranscriptAnswer, ...problems('not_ready', 'transcript_not_found', 'nothing_made', 'transcript_failed') },
  })
  app.get('/transcript/:transcript_id/get_transcript', { schema }, async (request, reply) => {
    const { raw = false, format = 'json' } = request.query
    if (raw && format !== 'json') throw invalid('format must be json or absent if raw is true.')
    const id = idIn(request.params.transcript_id, 'transcript_not_found')
    const { workspaceId } = callerOf(request)
    const run = await findTranscription(deps.db, workspaceId, id)
    if (run) return answerRun(deps, reply, run, { raw, format })
    const bot = await findBotByTranscript(deps.db, workspaceId, id)
    if (!bot || bot.isErased) throw new ServiceError('transcript_not_found')
    throw notMade(bot, 'transcript')
  })
}

type Wanted = { readonly raw: boolean; readonly format: 'json' | keyof typeof TEXT_FORMATS }

async function answerRun({ db, store }: ApiDeps, reply: FastifyReply, run: Transcription, { raw, format }: Wanted): Promise<FastifyReply> {
  if (run.status === 'Processing') throw new ServiceError('not_ready', 'The transcript is not ready. Current status: Processing')
  if (run.status === 'Failed') throw new ServiceError('transcript_failed', run.error ?? undefined)
  const keys = transcriptKeys(run.botId, run.id)
  const names = raw ? new Map<string, string>() : await findSpeakerNames(db, run.botId)
  // Streams the stored JSON without parsing it.
  if (format === 'json' && names.size === 0) {
    const object = await store.get(raw ? keys.raw : keys.processed)
    if (!object) throw new ServiceError('transcript_not_found')
    return reply.header('content-length', object.size).type('application/json; charset=utf-8').send(object.stream)
  }
  const made = await readTurns(store, keys)
  if (!made) throw new ServiceError('transcript_not_found')
  const turns = renamed(made, names)
  if (format === 'json') return reply.send(turns)
  const { contentType, write } = TEXT_FORMATS[format]
  return reply.type(contentType).send(write(turns))
}

function runRoutes(app: Api, deps: ApiDeps): void {
  const transcribing = operation('transcribeBot', 'Transcribe the recording again', {
    params: BotParams,
    body: TranscribeBody,
    response: { 200: TranscribeAnswer, ...problems('bot_not_found', 'nothing_made', 'conflict') },
  })
  app.post('/bots/:bot_id/transcribe', { schema: transcribing }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const { provider: given, callback_url } = request.body
    const { provider, options } = await readTranscript(given, { ...deps, workspaceId: bot.workspaceId }, 'provider')
    if (worksLive(provider))
      throw invalid(`provider ${provider} works only during the meeting. Use a post-call provider, for example native.`)
    const callbackUrl = urlRules(deps.config.ALLOW_INSECURE_URLS).callback('callback_url', callback_url)
    await checkTranscribable(deps, bot)
    const createdAt = deps.now()
    const id = newId('trn', createdAt)
    const run = { id, botId: bot.id, provider, options, callbackUrl, completesBot: false, createdAt }
    if (!(await beginTranscription(deps.db, run))) throw new ServiceError('bot_not_found')
    return { bot_id: bot.id, transcript_id: id, provider, message: 'The recording is being transcribed.' }
  })

  const listing = operation('listTranscriptions', 'List the transcription runs of a bot', {
    params: BotParams,
    querystring: LinkQuery,
    response: { 200: Transcriptions, ...problems('bot_not_found') },
  })
  app.get('/bots/:bot_id/transcriptions', { schema: listing }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const [runs, sign] = await Promise.all([listTranscriptions(deps.db, bot.id), signerFor(deps, bot, request.query)])
    return { bot_id: bot.id, transcriptions: runs.map((run) => presentRun(run, sign)) }
  })
}

/** A bot whose recording is still processed is accepted: the run waits for its audio. */
async function checkTranscribable({ db }: ApiDeps, bot: Bot): Promise<void> {
  if (!TERMINAL.has(bot.status) && bot.status !== 'MediaProcessing')
    throw new ServiceError('conflict', `The bot has not left the meeting yet: its status is ${bot.status}.`)
  if (!isProcessingOver(bot)) return
  if ((await listArtefacts(db, bot.id, 'audio_stream')).length === 0) throw notMade(bot, 'recording to transcribe')
}

function presentRun({ id, botId, provider, status, createdAt, options, error }: Transcription, sign: Signer) {
  const { raw, processed } = transcriptKeys(botId, id)
  return {
    transcript_id: id,
    provider,
    status,
    created_at: createdAt.toISOString(),
    config: options,
    ...(error !== null && { error }),
    download_urls: status === 'Success' ? { raw_transcript: sign(raw).url, processed_transcript: sign(processed).url } : null,
  }
}
