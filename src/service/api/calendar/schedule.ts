// Schedules and unschedules bots for one event, a series, or automatically for all events.
import type { Static } from 'typebox'
import type { BotSpec, JsonObject } from '../../../domain/bot.ts'
import { counted } from '../../../domain/counted.ts'
import { withoutSecrets } from '../../../domain/secret-fields.ts'
import { autoSchedule, type ScheduleRequest, scheduleEvent, toggleRecurrence, unscheduleEvent } from '../../calendar/schedule.ts'
import { autoScheduleOf } from '../../db/calendar/events.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'
import { CREATION_ERRORS, problems } from '../schema.ts'
import { ruleIn } from './events.ts'
import { calendarUser, momentIn, calendarOperation as operation } from './request.ts'
import { cancelScheduledBot } from './scheduled-bots.ts'
import * as schemas from './schema.ts'

const MOST_OCCURRENCES = 52

export function calendarScheduleRoutes(app: Api, deps: ApiDeps): void {
  eventRoutes(app, deps)
  toggleRoute(app, deps)
  autoScheduleRoutes(app, deps)
}

function eventRoutes(app: Api, deps: ApiDeps): void {
  const scheduling = operation('scheduleEvent', 'Schedule a bot for an event', {
    params: schemas.EventParams,
    body: schemas.ScheduleBody,
    response: { 200: schemas.ScheduleAnswer, ...problems('event_not_found', ...CREATION_ERRORS) },
  })
  app.post('/calendar/schedule/:event_id', { schema: scheduling }, async (request) => {
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

  const unscheduling = operation('unscheduleEvent', 'Remove the scheduled bot of an event', {
    description: 'The path also takes the id of a scheduled bot.',
    params: schemas.EventParams,
    body: schemas.UnscheduleBody,
    response: { 200: schemas.UnscheduleAnswer, ...problems('event_not_found', 'conflict') },
  })
  app.delete('/calendar/schedule/:event_id', { schema: unscheduling }, async (request) => {
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

/** The options that every bot has, under their names in create_bot. */
function inEffect({ name, audio, video }: BotSpec): JsonObject {
  return { bot_name: name, audio_required: audio, video_required: video }
}

function scheduleRequest(body: Static<typeof schemas.ScheduleBody>): ScheduleRequest {
  const all = body.schedule_all_occurrences ? { limit: body.occurrence_limit ?? MOST_OCCURRENCES } : null
  return {
    config: body.bot_config ?? {},
    series: body.recurring_event ? { limit: null } : all,
    occurrence: momentIn('occurrence_date', body.occurrence_date),
  }
}

function toggleRoute(app: Api, deps: ApiDeps): void {
  const response = { 200: schemas.ToggleAnswer, ...problems('event_not_found') }
  const schema = operation('toggleRecurrence', 'Turn bots for a recurring series on or off', { body: schemas.ToggleBody, response })
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
  const response = { 200: schemas.AutoScheduleAnswer, ...problems() }
  const enable = operation('enableAutoSchedule', 'Send a bot to every event automatically', { body: schemas.AutoScheduleBody, response })
  app.post('/calendar/auto-schedule/enable', { schema: enable }, async (request) => {
    const config = request.body.default_bot_config ?? {}
    await autoSchedule(deps.calendar, calendarUser(request), true, config)
    return { message: 'Automatic scheduling is on', auto_schedule_enabled: true, default_bot_config: withoutSecrets(config) }
  })
  const disable = operation('disableAutoSchedule', 'Stop sending bots automatically', { body: schemas.AutoScheduleBody, response })
  app.post('/calendar/auto-schedule/disable', { schema: disable }, async (request) => {
    const caller = calendarUser(request)
    const { config } = await autoScheduleOf(deps.db, caller.userId)
    await autoSchedule(deps.calendar, caller, false, config)
    return { message: 'Automatic scheduling is off', auto_schedule_enabled: false, default_bot_config: withoutSecrets(config) }
  })
  const settings = operation('getAutoScheduleSettings', 'Read the automatic scheduling settings', {
    response: { 200: schemas.AutoScheduleSettings, ...problems() },
  })
  app.get('/calendar/auto-schedule/settings', { schema: settings }, async (request) => {
    const { userId } = calendarUser(request)
    const { enabled, config } = await autoScheduleOf(deps.db, userId)
    return { user_id: userId, auto_schedule_enabled: enabled, default_bot_config: withoutSecrets(config) }
  })
}
