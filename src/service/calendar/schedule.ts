// A user's requests for bots: for one event, for a series, for all events, or none.
import type { BotId, BotSpec, JsonObject, UserId, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { TERMINAL } from '../../domain/lifecycle.ts'
import { listConnections, replanUser } from '../db/calendar/connections.ts'
import {
  type CalendarEvent,
  findEvent,
  keepSeriesBotsBefore,
  occurrencesFrom,
  type ScheduledBot,
  scheduledBotOf,
  setAutoSchedule,
  setRecurring,
  writeEventRequest,
} from '../db/calendar/events.ts'
import { loadJoinDetails, lockPlans, releaseSchedules } from '../db/calendar/plan.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { HORIZON_MS } from '../fleet/bot/schedule.ts'
import { checkConfig } from './connect.ts'
import type { CalendarDeps } from './deps.ts'
import { announceOutcome } from './mirror.ts'
import { configOf, type Outcome, replan } from './plan.ts'
import { planAhead } from './plan-ahead.ts'
import { startAfter } from './recurrence.ts'

export type Caller = { readonly workspaceId: WorkspaceId; readonly userId: UserId }

export type ScheduleRequest = {
  readonly config: JsonObject
  /** All occurrences of the series, at most `limit`; null: only this one. */
  readonly series: { readonly limit: number | null } | null
  /** Of a series: the start of the occurrence. */
  readonly occurrence: Date | null
}

export type Scheduled = {
  readonly event: CalendarEvent
  readonly scheduleId: string
  readonly botId: BotId
  readonly joinAt: Date
  readonly spec: BotSpec
  /** The bot's options: those of the request, over automatic scheduling and the calendar. */
  readonly config: JsonObject
}

/** Requests a bot for the event. 409 if it has one. */
export async function scheduleEvent(deps: CalendarDeps, caller: Caller, eventId: string, request: ScheduleRequest): Promise<Scheduled> {
  return inPlanTransaction(deps, caller, async (tx, at, plan) => {
    const asked = await findOwnEvent(tx, caller, eventId)
    const event = await targetOf(tx, caller, asked, { occurrence: request.occurrence, at })
    checkAttendable(event, at)
    const scheduled = await scheduledBotOf(tx, caller.workspaceId, event)
    if (scheduled && !TERMINAL.has(scheduled.status))
      throw new ServiceError('conflict', 'This event already has a bot.', { bot_id: scheduled.botId })
    // A bot that was cancelled or has left is replaced.
    if (scheduled) await releaseSchedules(tx, [scheduled.scheduleId], at)

    const touched = request.series ? await requestForSeries(tx, caller, event, request, at) : []
    if (touched.length === 0)
      await writeEventRequest(tx, [event.id], { request: 'bot', config: request.config, from: null, until: null }, at)
    const { shortfalls } = await plan([event.id, ...touched])
    if (shortfalls[0]) throw shortfalls[0].error
    const details = (await loadJoinDetails(tx, [event.id])).get(event.id)
    return scheduledBy(event, await scheduledBotOf(tx, caller.workspaceId, event), configOf(details))
  })
}

function scheduledBy(event: CalendarEvent, scheduled: ScheduledBot | null, config: JsonObject): Scheduled {
  if (!scheduled?.joinAt) throw new Error('calendar: an event that was just scheduled has no bot')
  const { scheduleId, botId, joinAt, spec } = scheduled
  return { event, scheduleId, botId: botId as BotId, joinAt, spec, config }
}

/** Returns the occurrences that the request covers; none if the event is not part of a series. */
async function requestForSeries(
  tx: Db,
  caller: Caller,
  event: CalendarEvent,
  { config, series }: ScheduleRequest,
  at: Date,
): Promise<string[]> {
  const master = await masterOf(tx, caller, event)
  if (!master) return []
  const until = series?.limit ? startAfter(master, event.start, series.limit) : null
  await writeEventRequest(tx, [master.id], { request: 'bot', config, from: event.start, until }, at)
  await setRecurring(tx, master.id, true)
  const ids = (await occurrencesFrom(tx, master.calendarId, master.platformId, at)).map(({ id }) => id)
  await writeEventRequest(tx, ids, { request: null, config: null, from: null, until: null }, at)
  return ids
}

/** The named occurrence of a series, or its next one. */
async function targetOf(
  tx: Db,
  caller: Caller,
  event: CalendarEvent,
  { occurrence, at }: { occurrence: Date | null; at: Date },
): Promise<CalendarEvent> {
  if (event.kind === 'single' || (event.kind === 'occurrence' && !occurrence)) return event
  const master = event.kind === 'master' ? event.platformId : (event.masterPlatformId ?? '')
  const all = await occurrencesFrom(tx, event.calendarId, master, at)
  const found = occurrence ? all.find(({ start }) => start.getTime() === occurrence.getTime()) : all[0]
  if (!found)
    throw invalid(occurrence ? 'occurrence_date is not the start of an occurrence of this event.' : 'This series has no occurrence ahead.')
  return findOwnEvent(tx, caller, found.id)
}

function checkAttendable(event: CalendarEvent, at: Date): void {
  if (event.isDeleted) throw invalid('This event was deleted.')
  if (event.isDeclined) throw invalid('This event was declined.')
  if (event.end <= at) throw invalid('This event is over.')
  if (event.start.getTime() > at.getTime() + HORIZON_MS) throw invalid('This event is more than 90 days ahead. Schedule it later.')
  if (!event.meetingUrl) throw invalid('This event has no meeting link.')
  if (!event.meetingKey) throw invalid(`No bot can join this event's ${event.meetingPlatform} link.`)
}

export type UnscheduleRequest = { readonly series: boolean; readonly from: Date | null }

/** Cancels the bots of the event, or of its series from a date on, and allows no automatic ones. Returns the number of cancelled bots. */
export async function unscheduleEvent(
  deps: CalendarDeps,
  caller: Caller,
  eventId: string,
  { series, from }: UnscheduleRequest,
): Promise<number> {
  return inPlanTransaction(deps, caller, async (tx, at, plan) => {
    const event = await findOwnEvent(tx, caller, eventId)
    const master = series || event.kind === 'master' ? await masterOf(tx, caller, event) : null
    const none = { request: 'none', config: null, from: null, until: null } as const
    if (!master) {
      await writeEventRequest(tx, [event.id], none, at)
      return (await plan([event.id])).cancelled
    }
    const since = from ?? new Date(Math.min(at.getTime(), master.start.getTime()))
    const ids = (await occurrencesFrom(tx, master.calendarId, master.platformId, at))
      .filter(({ start }) => start >= since)
      .map(({ id }) => id)
    await keepSeriesBotsBefore(tx, master.calendarId, master.platformId, since)
    await writeEventRequest(tx, [master.id], { ...none, from: since }, at)
    await writeEventRequest(tx, ids, none, at)
    return (await plan(ids)).cancelled
  })
}

/** Enables or disables bots for a series. Requests for single occurrences stay. */
export async function toggleRecurrence(deps: CalendarDeps, caller: Caller, eventId: string, enabled: boolean): Promise<CalendarEvent> {
  return inPlanTransaction(deps, caller, async (tx, at, plan) => {
    const master = await masterOf(tx, caller, await findOwnEvent(tx, caller, eventId))
    if (!master || master.recurrence.length === 0) throw invalid('event_id is not a recurring event: it has no recurrence rule.')
    await setRecurring(tx, master.id, enabled)
    await plan((await occurrencesFrom(tx, master.calendarId, master.platformId, at)).map(({ id }) => id))
    return { ...master, recurringEnabled: enabled }
  })
}

/** Enables or disables bots for all events of the user's own calendars, now and in every later sync. */
export async function autoSchedule(deps: CalendarDeps, caller: Caller, enabled: boolean, config: JsonObject): Promise<void> {
  if (enabled) await checkConfig(deps, caller.workspaceId, config)
  await inTransaction(deps.db, async (tx) => {
    await setAutoSchedule(tx, caller.userId, { enabled, config }, deps.now())
    await replanUser(tx, caller.userId)
  })
  for (const connection of await listConnections(deps.db, caller.userId)) {
    await planAhead(deps, connection, (write) =>
      inPlanTransaction(deps, caller, async (tx, _at, plan) => void (await plan(await write(tx)))),
    )
  }
}

type Plan = (eventIds: readonly string[]) => Promise<Outcome>

/** Runs the work and the plan that follows from it in one transaction, one at a time in a workspace. */
async function inPlanTransaction<Result>(
  deps: CalendarDeps,
  { workspaceId }: Caller,
  work: (tx: Db, at: Date, plan: Plan) => Promise<Result>,
): Promise<Result> {
  const at = deps.now()
  const outcomes: Outcome[] = []
  const result = await inTransaction(deps.db, async (tx) => {
    await lockPlans(tx, workspaceId)
    return work(tx, at, async (eventIds) => {
      const outcome = await replan({ ...deps, tx, workspaceId, at }, eventIds)
      outcomes.push(outcome)
      return outcome
    })
  })
  for (const outcome of outcomes) announceOutcome(deps, outcome)
  return result
}

async function findOwnEvent(db: Db, { userId }: Caller, id: string): Promise<CalendarEvent> {
  const event = await findEvent(db, userId, id)
  if (!event) throw new ServiceError('event_not_found')
  return event
}

async function masterOf(tx: Db, caller: Caller, event: CalendarEvent): Promise<CalendarEvent | null> {
  if (event.kind === 'master') return event
  return event.masterId ? findOwnEvent(tx, caller, event.masterId) : null
}
