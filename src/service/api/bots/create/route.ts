// POST /bots/create_bot.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Bot, type BotId, isJsonObject } from '../../../../domain/bot.ts'
import { TERMINAL } from '../../../../domain/lifecycle.ts'
import { withoutSecrets } from '../../../../domain/secret-fields.ts'
import { findByKey } from '../../../db/fleet/bots.ts'
import { type BotRequest, type Creation, createBot } from '../../../fleet/bot/create.ts'
import { neutral } from '../../aliases.ts'
import { callerOf } from '../../auth.ts'
import type { Api, ApiDeps } from '../../deps.ts'
import { idempotencyKeyIn } from '../../http/idempotency-key.ts'
import { CREATION_ERRORS, operationsOf, problems } from '../../schema.ts'
import { readBotRequest } from './bot-request.ts'
import { CreateBotBody, Creation as CreationAnswer, IdempotencyHeaders, Replay } from './schema.ts'

const operation = operationsOf('Bots')

export function createBotRoute(app: Api, deps: ApiDeps): void {
  app.post(
    '/bots/create_bot',
    {
      schema: operation('createBot', 'Send a bot into a meeting', {
        description:
          'The bot joins at once, or at `join_at`. Send an `Idempotency-Key` header to make retries safe: a replay answers 507, which is a success, with the first bot.',
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
      }),
      // Before the body is read: a repeated Idempotency-Key is a replay even with another body.
      preParsing: async (request, reply) => answerReplay(deps, request, reply),
      preValidation: async (request) => {
        const sent: unknown = request.body
        if (!isJsonObject(sent)) return
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
  return {
    workspaceId,
    ...(await readBotRequest(body, { ...deps, workspaceId })),
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
    const { id: bot_id, transcriptId: transcript_id, meetingUrl: meeting_url } = creation.bot
    return reply.code(200).send({ bot_id, transcript_id, meeting_url, status: presentStatus(creation.bot) })
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
