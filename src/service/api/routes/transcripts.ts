// Transcripts after the call.
import Type from 'typebox'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { worksLive } from '../../../domain/speech-providers.ts'
import { findBotByTranscript } from '../../db/bots.ts'
import { neutralProvider } from '../aliases.ts'
import { callerOf } from '../auth.ts'
import { readTranscript } from '../bot-request/transcript.ts'
import { urlRules } from '../bot-request/urls.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { AnyObject, BotParams, problems } from '../schemas/common.ts'
import { notThere } from './artefacts.ts'
import { idIn, keptBotIn } from './find-bot.ts'

const tags = ['Transcripts']

const TranscribeBody = Type.Object({
  provider: Type.Optional(Type.Union([Type.String(), AnyObject], { title: 'a provider id, or an object with one key' })),
  callback_url: Type.Optional(Type.String()),
})

const Transcription = Type.Object({
  transcript_id: Type.String(),
  provider: Type.String(),
  status: Type.Enum(['Processing', 'Success', 'Failed']),
  created_at: Type.String(),
})

export function transcriptRoutes(app: Api, deps: ApiDeps): void {
  readRoute(app, deps)
  transcribeRoute(app, deps)
  runsRoute(app, deps)
}

function readRoute(app: Api, deps: ApiDeps): void {
  app.get(
    '/transcript/:transcript_id/get_transcript',
    {
      schema: {
        summary: 'Read a transcript',
        operationId: 'getTranscript',
        tags,
        params: Type.Object({ transcript_id: Type.String() }),
        querystring: Type.Object({
          raw: Type.Optional(Type.Boolean({ default: false })),
          format: Type.Optional(Type.Enum(['json', 'srt', 'vtt', 'txt'], { default: 'json' })),
        }),
        response: problems('invalid', 'not_ready', 'transcript_not_found'),
      },
    },
    async (request) => {
      const id = idIn(request.params.transcript_id, 'transcript_not_found')
      const bot = await findBotByTranscript(deps.db, callerOf(request).workspaceId, id)
      if (!bot || bot.status === 'MediaExpired') throw new ServiceError('transcript_not_found')
      throw notThere(bot, 'transcript')
    },
  )
}

function transcribeRoute(app: Api, deps: ApiDeps): void {
  app.post(
    '/bots/:bot_id/transcribe',
    {
      schema: {
        summary: 'Transcribe the recording again',
        operationId: 'transcribe',
        tags,
        params: BotParams,
        body: TranscribeBody,
        response: problems('invalid', 'bot_not_found', 'conflict'),
      },
    },
    async (request) => {
      const bot = await keptBotIn(request, deps)
      const { provider: given, callback_url } = request.body
      const { provider } = readTranscript(
        typeof given === 'string' ? neutralProvider(given) : given,
        deps.config.configuredVendors,
        'provider',
      )
      if (worksLive(provider)) throw invalid(`provider ${provider} works only while the meeting runs.`)
      urlRules(deps.config.ALLOW_INSECURE_URLS).callback('callback_url', callback_url)
      if (!TERMINAL.has(bot.status)) throw new ServiceError('conflict', `The bot has not left the meeting: its status is ${bot.status}.`)
      throw notThere(bot, 'recording to transcribe')
    },
  )
}

function runsRoute(app: Api, deps: ApiDeps): void {
  app.get(
    '/bots/:bot_id/transcriptions',
    {
      schema: {
        summary: 'Every transcription run of a bot',
        operationId: 'listTranscriptions',
        tags,
        params: BotParams,
        response: { 200: Type.Object({ bot_id: Type.String(), transcriptions: Type.Array(Transcription) }), ...problems('bot_not_found') },
      },
    },
    async (request) => {
      const bot = await keptBotIn(request, deps)
      // Runs start when a recording is processed, and no bot of this version records.
      return { bot_id: bot.id, transcriptions: [] }
    },
  )
}
