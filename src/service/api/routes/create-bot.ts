// POST /bots/create_bot: from the request to a bot that joins now or later.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bot, JsonObject } from '../../../domain/bot.ts'
import { invalid } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { PLATFORMS } from '../../../domain/platforms.ts'
import { checkZoomApp } from '../../accounts/zoom-app.ts'
import { findByKey } from '../../db/bots.ts'
import { type BotRequest, type Creation, createBot } from '../../fleet/create.ts'
import { neutral } from '../aliases.ts'
import { callerOf } from '../auth.ts'
import { readBotRequest, withoutSecrets } from '../bot-request.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { CREATION_ERRORS, problems } from '../schemas/common.ts'
import { CreateBotBody, Creation as CreationAnswer, IdempotencyHeaders, Replay } from '../schemas/create-bot.ts'

const LONGEST_KEY = 255

export function createBotRoute(app: Api, deps: ApiDeps): void {
  app.post(
    '/bots/create_bot',
    {
      schema: {
        summary: 'Send a bot into a meeting',
        description:
          'Now, or at `join_at`. Send an `Idempotency-Key` header to make a retry safe: a replay answers 507 with the first bot.',
        operationId: 'createBot',
        tags: ['Bots'],
        headers: IdempotencyHeaders,
        body: CreateBotBody,
        response: {
          201: { description: 'Bot created', ...CreationAnswer },
          200: { description: 'A bot with this deduplication_key is in this meeting already', ...CreationAnswer },
          507: { description: 'Replay of an Idempotency-Key: nothing new was made; treat as success', ...Replay },
          ...problems(...CREATION_ERRORS),
        },
      },
      // Before the body is even read: a replay is a replay, whatever it carries.
      preParsing: async (request, reply) => answerReplay(deps, request, reply),
      preValidation: async (request) => {
        const sent: unknown = request.body
        if (!isObject(sent)) return
        const { body, spoken } = neutral(sent)
        request.body = body as CreateBotBody
        request.wording = { sent, spoken }
      },
    },
    async (request, reply) => {
      const botRequest = await read(deps, request)
      deps.disk.require()
      const creation = await createBot(deps.fleet, botRequest, deps.now())
      return answer(deps, reply, creation)
    },
  )
}

async function read(deps: ApiDeps, request: FastifyRequest<{ Body: CreateBotBody }>): Promise<BotRequest> {
  const { workspaceId } = callerOf(request)
  const { body } = request
  const { config } = deps
  // Most requests name no provider, and need no look at the workspace's keys.
  const isNamed = body.recording_config?.transcript?.provider !== undefined
  const { spec, joinAt, callbackUrl } = readBotRequest(body, {
    allowInsecureUrls: config.ALLOW_INSECURE_URLS,
    publicUrl: deps.publicUrl(),
    rooms: deps.rooms,
    configuredVendors: isNamed ? await deps.providerKeys.vendorsOf(workspaceId) : config.configuredVendors,
    hasOwnModel: config.NATIVE_MODEL !== undefined,
    now: deps.now(),
  })
  if (spec.meeting.platform === 'zoom') await checkZoomApp(deps.db, config.zoom, workspaceId)
  return {
    workspaceId,
    spec,
    joinAt,
    callbackUrl,
    idempotencyKey: keyIn(request),
    deduplicationKey: body.deduplication_key ?? null,
    customAttributes: body.custom_attributes ?? {},
    echo: withoutSecrets(request.wording?.sent ?? {}),
  }
}

async function answerReplay(deps: ApiDeps, request: FastifyRequest, reply: FastifyReply): Promise<undefined> {
  const key = keyIn(request)
  const bot = key ? await findByKey(deps.db, callerOf(request).workspaceId, { idempotency: key }) : null
  if (bot) await reply.code(507).send(replayOf(bot))
}

async function answer(deps: ApiDeps, reply: FastifyReply, creation: Creation): Promise<FastifyReply> {
  if (creation.kind === 'replayed') return reply.code(507).send(replayOf(creation.bot))
  if (creation.kind === 'duplicate') {
    const { bot } = creation
    return reply
      .code(200)
      .send({ bot_id: bot.id, transcript_id: bot.transcriptId, meeting_url: bot.meetingUrl, status: presentStatus(bot) })
  }
  const { bot } = creation
  deps.metrics.botsCreated.inc({ platform: PLATFORMS[bot.spec.meeting.platform].wireName })
  const status = bot.joinAt ? 'Scheduled' : 'Active'
  return reply.code(201).send({ bot_id: bot.id, transcript_id: bot.transcriptId, meeting_url: bot.spec.meeting.url, status })
}

function replayOf(bot: Bot) {
  return { bot_id: bot.id, transcript_id: null, meeting_url: bot.meetingUrl, status: bot.joinAt ? 'Scheduled' : 'Active' }
}

/** A bot that is under way is Active, as in the answer that made it; an ended one says how it ended. */
function presentStatus({ status }: Bot): string {
  return status === 'Scheduled' || TERMINAL.has(status) ? status : 'Active'
}

function keyIn(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length < 1 || key.length > LONGEST_KEY)
    throw invalid(`Idempotency-Key must have 1 to ${LONGEST_KEY} characters.`)
  return key
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
