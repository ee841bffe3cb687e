// POST /bots/create_bot.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bot, BotId, JsonObject } from '../../../../domain/bot.ts'
import { TERMINAL } from '../../../../domain/lifecycle.ts'
import { checkZoomApp } from '../../../accounts/zoom-app.ts'
import { findByKey } from '../../../db/bots.ts'
import { type BotRequest, type Creation, createBot } from '../../../fleet/create.ts'
import { neutral } from '../../aliases.ts'
import { callerOf } from '../../auth.ts'
import type { Api, ApiDeps } from '../../deps.ts'
import { idempotencyKeyIn } from '../../idempotency-key.ts'
import { CREATION_ERRORS, problems } from '../../schema.ts'
import { readBotRequest, withoutSecrets } from './bot-request.ts'
import { CreateBotBody, Creation as CreationAnswer, IdempotencyHeaders, Replay } from './schema.ts'

export function createBotRoute(app: Api, deps: ApiDeps): void {
  app.post(
    '/bots/create_bot',
    {
      schema: {
        summary: 'Send a bot into a meeting',
        description:
          'The bot joins at once, or at `join_at`. Send an `Idempotency-Key` header to make retries safe: a replay answers 507, which is a success, with the first bot.',
        operationId: 'createBot',
        tags: ['Bots'],
        headers: IdempotencyHeaders,
        body: CreateBotBody,
        response: {
          201: { description: 'Bot created', ...CreationAnswer },
          200: { description: 'A bot with this deduplication_key exists for this meeting', ...CreationAnswer },
          507: {
            ...Replay,
            description: 'Success: idempotent replay of the same Idempotency-Key. The body has the first bot; no new bot was created.',
          },
          ...problems(...CREATION_ERRORS),
        },
      },
      // Before the body is read: a repeated Idempotency-Key is a replay even with another body.
      preParsing: async (request, reply) => answerReplay(deps, request, reply),
      preValidation: async (request) => {
        const sent: unknown = request.body
        if (!isObject(sent)) return
        const { body, usedAliases } = neutral(sent)
        request.body = body as CreateBotBody
        request.wording = { sent, usedAliases }
      },
    },
    async (request, reply) => {
      const botRequest = await read(deps, request)
      deps.disk.require()
      const creation = await createBot(deps.fleet, botRequest, deps.now())
      if (creation.kind === 'created') traceRequest(deps, creation.bot.id, request, reply)
      return answer(reply, creation)
    },
  )
}

function traceRequest({ operations, now }: ApiDeps, botId: BotId, { headers }: FastifyRequest, { elapsedTime }: FastifyReply): void {
  const { traceparent } = headers
  const to = now()
  const from = new Date(to.getTime() - elapsedTime)
  operations.onCreateRequest(botId, { traceparent: typeof traceparent === 'string' ? traceparent : undefined, from, to })
}

async function read(deps: ApiDeps, request: FastifyRequest<{ Body: CreateBotBody }>): Promise<BotRequest> {
  const { workspaceId } = callerOf(request)
  const { body } = request
  const { config } = deps
  // Requests without a provider use `native`, so the workspace's vendor keys are not loaded.
  const isNamed = body.recording_config?.transcript?.provider !== undefined
  const { spec, joinAt, callbackUrl } = readBotRequest(body, {
    allowInsecureUrls: config.ALLOW_INSECURE_URLS,
    publicUrl: deps.publicUrl(),
    rooms: deps.rooms,
    configuredVendors: isNamed ? await deps.providerKeys.vendorsOf(workspaceId) : config.configuredVendors,
    hasOwnModel: config.NATIVE_MODEL !== undefined,
    now: deps.now(),
  })
  if (spec.meeting.platform === 'zoom') await checkZoomApp(deps.db, config.zoom, workspaceId, spec.zoomToken)
  return {
    workspaceId,
    spec,
    joinAt,
    callbackUrl,
    idempotencyKey: idempotencyKeyIn(request),
    deduplicationKey: body.deduplication_key ?? null,
    customAttributes: body.custom_attributes ?? {},
    echo: withoutSecrets(request.wording?.sent ?? {}),
  }
}

async function answerReplay(deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<undefined> {
  const key = idempotencyKeyIn(request)
  const bot = key ? await findByKey(deps.db, callerOf(request).workspaceId, { idempotency: key }) : null
  if (bot) await reply.code(507).send(replayOf(bot))
}

async function answer(reply: FastifyReply, creation: Creation): Promise<FastifyReply> {
  if (creation.kind === 'replayed') return reply.code(507).send(replayOf(creation.bot))
  if (creation.kind === 'duplicate') {
    const { bot } = creation
    return reply
      .code(200)
      .send({ bot_id: bot.id, transcript_id: bot.transcriptId, meeting_url: bot.meetingUrl, status: presentStatus(bot) })
  }
  const { bot } = creation
  const status = bot.joinAt ? 'Scheduled' : 'Active'
  return reply.code(201).send({ bot_id: bot.id, transcript_id: bot.transcriptId, meeting_url: bot.spec.meeting.url, status })
}

function replayOf(bot: Bot) {
  return { bot_id: bot.id, transcript_id: null, meeting_url: bot.meetingUrl, status: bot.joinAt ? 'Scheduled' : 'Active' }
}

/** `Active` while the bot runs, as in the first answer; the stored status once it has ended. */
function presentStatus({ status }: Bot): string {
  return status === 'Scheduled' || TERMINAL.has(status) ? status : 'Active'
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
