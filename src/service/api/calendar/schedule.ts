// Schedules and unschedules bots for one event, a series, or automatically for all events.

import type { Static } from 'typebox'
import type { BotSpec, JsonObject } from '../../../domain/bot.ts'
import { counted } from '../../../domain/counted.ts'
import { autoSchedule, type ScheduleRequest, scheduleEvent, toggleRecurrence, unscheduleEvent } from '../../calendar/schedule.ts'
import { autoScheduleOf } from '../../db/calendar/events.ts'
import { withoutSecrets } from '../bots/create/bot-request.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../path-id.ts'
import { CREATION_ERRORS, problems } from '../schema.ts'
import { ruleIn } from './events.ts'
import { calendarUser, momentIn, CALENDAR_TAGS as tags } from './request.ts'
import { cancelScheduledBot } from './scheduled-bots/routes.ts'
import {
  AutoScheduleAnswer,
  AutoScheduleBody,
  AutoScheduleSettings,
  EventParams,
  ScheduleAnswer,
  ScheduleBody,
  ToggleAnswer,
  ToggleBody,
  UnscheduleAnswer,
  UnscheduleBody,
} from './schema.ts'

const MOST_OCCURRENCES = 52

export function calendarScheduleRoutes(app: Api, deps: ApiDeps): void {
  scheduleRoute(app, deps)
  unscheduleRoute(app, deps)
  toggleRoute(app, deps)
  autoScheduleRoutes(app, deps)
}

function scheduleRoute(app: Api, deps: ApiDeps): void {
  const response = { 200: ScheduleAnswer, ...problems('event_not_found', ...CREATION_ERRORS) }
  const schema = {
    summary: 'Schedule a bot for an event',
    operationId: 'scheduleEvent',
    tags,
    params: EventParams,
    body: ScheduleBody,
    response,
  }
  app.post('/calendar/schedule/:event_id', { schema }, async (request) => {
    const wanted = scheduleRequest(request.body)
    deps.disk.require()
    const made = await scheduleEvent(deps.calendar, calendarUser(request), idIn(request.params.event_id, 'event_not_found'), wanted)
    return {
      scheduled: true,
      schedule_id: made.scheduleId,
      bot_id: made.botId,
      event_id: made.event.id,
      scheduled_time: made.joinAt.toISOString(),
      is_recurring_occurrence: made.event.kind === 'occurrence',
      bot_config: withoutSecrets({ ...inEffect(made.spec), ...made.config }),
    }
  })
}

/** The options that every bot has, under their names in create_bot. */
function inEffect({ name, audio, video }: BotSpec): JsonObject {
  return { bot_name: name, audio_required: audio, video_required: video }
}

function scheduleRequest(body: Static<typeof ScheduleBody>): ScheduleRequest {
  const all = body.schedule_all_occurrences ? { limit: body.occurrence_limit ?? MOST_OCCURRENCES } : null
  return {
    config: body.bot_config ?? {},
    series: body.recurring_event ? { limit: null } : all,
    occurrence: momentIn('occurrence_date', body.occurrence_date),
  }
}

function unscheduleRoute(app: Api, deps: ApiDeps): void {
  const response = { 200: UnscheduleAnswer, ...problems('invalid', 'event_not_found', 'conflict') }
  const schema = {
    ...{ summary: 'Remove the scheduled bot of an event', operationId: 'unscheduleEvent', tags },
    description: 'The path also takes the id of a scheduled bot.',
    ...{ params: EventParams, body: UnscheduleBody, response },
  }
  app.delete('/calendar/schedule/:event_id', { schema }, async (request) => {
    const caller = calendarUser(request)
    const { event_id } = request.params
    // The path takes event ids and bot ids; only event ids begin with evt_.
    if (!event_id.startsWith('evt_')) return cancelScheduledBot(deps, request, event_id)
    const { cancel_all_occurrences: series = false, from_date } = request.body
    const cancelled = await unscheduleEvent(deps.calendar, caller, idIn(event_id, 'event_not_found'), {
      series,
      from: momentIn('from_date', from_date),
    })
    const counts = { schedules_cancelled: cancelled, bots_deleted: cancelled }
    return { message: `${counted(cancelled, 'scheduled bot')} cancelled`, unscheduled: true, event_id, ...counts }
  })
}

function toggleRoute(app: Api, deps: ApiDeps): void {
  const response = { 200: ToggleAnswer, ...problems('invalid', 'event_not_found') }
  const schema = {
    summary: 'Turn bots for a recurring series on or off',
    operationId: 'toggleRecurrence',
    tags,
    body: ToggleBody,
    response,
  }
  app.post('/calendar/toggle-recurrence', { schema }, async (request) => {
    const { event_id, recurring_enabled } = request.body
    const master = await toggleRecurrence(deps.calendar, calendarUser(request), idIn(event_id, 'event_not_found'), recurring_enabled)
    return {
      event_id,
      recurring_enabled,
      recurrence_rule: ruleIn(master) ?? '',
      message: recurring_enabled ? 'Bots join this series' : 'Bots no longer join this series',
      summary: master.title,
      start_time: master.start.toISOString(),
      end_time: master.end.toISOString(),
    }
  })
}

function autoScheduleRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: AutoScheduleAnswer, ...problems('invalid') }
  const enable = {
    summary: 'Send a bot to every event automatically',
    operationId: 'enableAutoSchedule',
    tags,
    body: AutoScheduleBody,
    response,
  }
  app.post('/calendar/auto-schedule/enable', { schema: enable }, async (request) => {
    const config = request.body.default_bot_config ?? {}
    await autoSchedule(deps.calendar, calendarUser(request), true, config)
    return { message: 'Automatic scheduling is on', auto_schedule_enabled: true, default_bot_config: withoutSecrets(config) }
  })
  const disable = { summary: 'Stop sending bots automatically', operationId: 'disableAutoSchedule', tags, body: AutoScheduleBody, response }
  app.post('/calendar/auto-schedule/disable', { schema: disable }, async (request) => {
    const caller = calendarUser(request)
    const { config } = await autoScheduleOf(deps.db, caller.userId)
    await autoSchedule(deps.calendar, caller, false, config)
    return { message: 'Automatic scheduling is off', auto_schedule_enabled: false, default_bot_config: withoutSecrets(config) }
  })
  const settings = {
    summary: 'Read the automatic scheduling settings',
    operationId: 'getAutoScheduleSettings',
    tags,
    response: { 200: AutoScheduleSettings, ...problems() },
  }
  app.get('/calendar/auto-schedule/settings', { schema: settings }, async (request) => {
    const { userId } = calendarUser(request)
    const { enabled, config } = await autoScheduleOf(deps.db, userId)
    return { user_id: userId, auto_schedule_enabled: enabled, default_bot_config: withoutSecrets(config) }
  })
}
