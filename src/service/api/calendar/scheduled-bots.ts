// Scheduled bots under /calendar: list, reschedule, cancel.
import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import type { Bot, JsonObject } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseInstant } from '../../../domain/instant.ts'
import { PLATFORMS } from '../../../domain/platforms.ts'
import { listScheduled } from '../../db/fleet/bots.ts'
import { removeBot } from '../../fleet/bot/remove.ts'
import { HORIZON_MS, notReschedulable, type Reschedule, reschedule } from '../../fleet/bot/schedule.ts'
import { aliased } from '../alias-paths.ts'
import { callerOf, userOf } from '../auth.ts'
import { readLeaveRules } from '../bots/create/automatic-leave.ts'
import { AutomaticLeave } from '../bots/create/schema.ts'
import { keptBot, keptBotIn } from '../bots/find-bot.ts'
import { Acknowledgement } from '../bots/schema.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Attributes, BotParams, BotState, Line, Moment, NamedObject, NewAttributes, operationsOf, Platform, problems } from '../schema.ts'

const operation = operationsOf('Scheduled bots')

const ScheduledBot = NamedObject('ScheduledBot', {
  bot_id: Type.String(),
  platform: Platform,
  status: BotState,
  scheduled_join_time: Moment,
  custom_attributes: Type.Unsafe<Record<string, unknown>>({
    ...Attributes,
    description: 'Also has source, event_id and deduplication_key as strings, which are empty if the bot has none.',
  }),
  bot_username: Type.String(),
  meeting_link: Type.String(),
  is_scheduled: Type.Boolean(),
})

const RescheduleBody = NamedObject('RescheduleBotRequest', {
  scheduled_join_time: Type.Optional(
    Type.String({ description: 'ISO 8601 with an offset: YYYY-MM-DDTHH:mm:ss+HH:MM. Required if no other field is given.' }),
  ),
  bot_username: Type.Optional(Line({ minLength: 1, maxLength: 100 })),
  custom_attributes: Type.Optional(NewAttributes),
  automatic_leave: Type.Optional(AutomaticLeave),
})

const Rescheduled = NamedObject('BotRescheduled', {
  success: Type.Boolean(),
  message: Type.String(),
  bot_id: Type.String(),
  scheduled_join_time: Moment,
  updated_fields: Type.Array(Type.String()),
  schedule_updated: Type.Boolean(),
})

export function scheduledBotRoutes(app: Api, deps: ApiDeps): void {
  listRoutes(app, deps)
  rescheduleRoute(app, deps)
  cancelRoutes(app, deps)
}

function listRoutes(app: Api, deps: ApiDeps): void {
  const querystring = Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })) })
  const response = { 200: Type.Object({ scheduled_bots: Type.Array(ScheduledBot) }), ...problems() }
  const listing = operation('listScheduledBots', 'List future scheduled bots', { querystring, response })
  for (const { path, schema } of aliased(listing, '/calendar/scheduled', '/calendar/schedule', '/calendar/scheduled_bots')) {
    app.get(path, { schema }, async (request) => {
      userOf(request)
      const bots = await listScheduled(deps.db, callerOf(request).workspaceId, { after: deps.now(), limit: request.query.limit ?? 100 })
      return {
        scheduled_bots: bots.map((bot) => ({
          bot_id: bot.id,
          platform: PLATFORMS[bot.platform].wireName,
          status: bot.status,
          scheduled_join_time: bot.joinAt?.toISOString() ?? bot.createdAt.toISOString(),
          custom_attributes: attributesOf(bot),
          bot_username: bot.name,
          meeting_link: bot.meetingUrl,
          is_scheduled: true,
        })),
      }
    })
  }
}

/** Typed clients read three of them as strings. A calendar's bot has `source` and `event_id` among its own. */
function attributesOf({ customAttributes, deduplicationKey }: Bot): JsonObject {
  return {
    source: 'api',
    event_id: '',
    deduplication_key: '',
    ...customAttributes,
    ...(deduplicationKey && { deduplication_key: deduplicationKey }),
  }
}

function rescheduleRoute(app: Api, deps: ApiDeps): void {
  app.patch(
    '/calendar/scheduled_bots/:bot_id',
    {
      schema: operation('rescheduleBot', 'Change the time, the name or other fields of a scheduled bot', {
        params: BotParams,
        body: RescheduleBody,
        response: { 200: Rescheduled, ...problems('bot_not_found') },
      }),
      // The specification gives reschedule errors `{error, status_code}`.
      errorHandler: (error, request, reply) => {
        if (error instanceof ServiceError) {
          const { code, message, http, retryAfterSeconds } = error
          error = new ServiceError(code, message, { error: message, status_code: http }, retryAfterSeconds)
        }
        return app.errorHandler(error, request, reply)
      },
    },
    async (request) => {
      userOf(request)
      const bot = await keptBotIn(request, deps)
      if (!bot.joinAt) throw invalid('The bot was created without join_at, so it cannot be rescheduled.')
      if (bot.status !== 'Scheduled') throw notReschedulable(bot.status)
      const change = { joinAt: bot.joinAt, ...changeIn(request.body, bot, deps.now()) }
      await reschedule(deps.fleet, bot, change)
      const schedule_updated = change.joinAt.getTime() !== bot.joinAt.getTime()
      return {
        success: true,
        message: schedule_updated ? 'Bot rescheduled' : 'Scheduled bot changed',
        bot_id: bot.id,
        scheduled_join_time: change.joinAt.toISOString(),
        updated_fields: knownFields(request.body),
        schedule_updated,
      }
    },
  )
}

function knownFields(body: object): string[] {
  return Object.keys(body).filter((field) => Object.hasOwn(RescheduleBody.properties, field))
}

/** The time is required only if nothing else is to change. */
function changeIn(body: Static<typeof RescheduleBody>, { platform, spec }: Bot, now: Date): Partial<Reschedule> {
  if (knownFields(body).length === 0) throw invalid('scheduled_join_time is required if no other field is given.')
  const { scheduled_join_time, bot_username: name, custom_attributes: customAttributes, automatic_leave } = body
  return {
    name,
    customAttributes,
    leave: automatic_leave && readLeaveRules(automatic_leave, platform, spec.leave),
    ...(scheduled_join_time !== undefined && { joinAt: newTime(scheduled_join_time, now) }),
  }
}

function newTime(text: string, now: Date): Date {
  const at = parseInstant(text, { offset: 'required' })
  if (!at) throw invalid('scheduled_join_time must be an ISO 8601 date and time with a timezone offset (YYYY-MM-DDTHH:mm:ss+HH:MM).')
  if (at <= now) throw invalid('scheduled_join_time must be in the future.')
  if (at.getTime() > now.getTime() + HORIZON_MS) throw invalid('scheduled_join_time must be at most 90 days ahead.')
  return at
}

function cancelRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: Acknowledgement, ...problems('bot_not_found', 'conflict') }
  const cancelling = operation('cancelScheduledBot', 'Cancel a scheduled bot', { params: BotParams, response })
  for (const { path, schema } of aliased(cancelling, '/calendar/scheduled_bots/:bot_id', '/calendar/scheduled/:bot_id')) {
    app.delete(path, { schema }, async (request) => {
      userOf(request)
      return cancelScheduledBot(deps, request, request.params.bot_id)
    })
  }
}

export async function cancelScheduledBot(deps: ApiDeps, request: FastifyRequest, id: string): Promise<{ message: string; bot_id: string }> {
  const bot = await keptBot(deps, callerOf(request).workspaceId, id)
  if (!bot.joinAt) throw new ServiceError('bot_not_found')
  if (bot.status !== 'Scheduled') throw new ServiceError('conflict', `The bot is no longer scheduled: its status is ${bot.status}.`)
  await removeBot(deps.fleet, deps.botRequests, bot, deps.now())
  return { message: 'Scheduled bot cancelled', bot_id: bot.id }
}
