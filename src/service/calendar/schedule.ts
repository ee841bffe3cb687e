// What a user says about the bots of an event: one for this, for all of a series, for everything, or none.
import type { BotId, JsonObject, UserId, WorkspaceId } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { TERMINAL } from '../../domain/lifecycle.ts'
import { listConnections, replanUser } from '../db/calendars.ts'
import {
  type CalendarEvent,
  findEvent,
  keepBefore,
  occurrencesFrom,
  setAutoSchedule,
  setRecurring,
  type Tie,
  tieOf,
  writeWish,
} from '../db/calendars-events.ts'
import { lockPlans, releaseSchedules } from '../db/calendars-plan.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { HORIZON_MS } from '../fleet/schedule.ts'
import { checkConfig } from './connect.ts'
import type { CalendarDeps } from './deps.ts'
import { announceOutcome } from './mirror.ts'
import { type Outcome, replan } from './plan.ts'
import { planAhead } from './plan-ahead.ts'
import { startAfter } from './recurrence.ts'

export type Caller = { readonly workspaceId: WorkspaceId; readonly userId: UserId }

export type ScheduleRequest = {
  readonly config: JsonObject
  /** All occurrences of the series, this many at the most; null: only this one. */
  readonly series: { readonly limit: number | null } | null
  /** Of a series: the occurrence that begins then. */
  readonly occurrence: Date | null
}

export type Scheduled = { readonly event: CalendarEvent; readonly scheduleId: string; readonly botId: BotId; readonly joinAt: Date }

/** A bot for the event. 409 where it has one. */
export async function scheduleEvent(deps: CalendarDeps, caller: Caller, eventId: string, request: ScheduleRequest): Promise<Scheduled> {
  return planned(deps, caller, async (tx, at, plan) => {
    const asked = await known(tx, caller, eventId)
    const event = await targetOf(tx, caller, asked, { occurrence: request.occurrence, at })
    checkAttendable(event, at)
    const tie = await tieOf(tx, caller.workspaceId, event)
    if (tie && !TERMINAL.has(tie.status)) throw new ServiceError('conflict', 'This event already has a bot.', { bot_id: tie.botId })
    // A bot that was called off or has left makes room for the one that is asked for now.
    if (tie) await releaseSchedules(tx, [tie.scheduleId], at)

    const touched = request.series ? await wishForSeries(tx, caller, event, request, at) : []
    if (touched.length === 0) await writeWish(tx, [event.id], { wish: 'bot', config: request.config, from: null, until: null }, at)
    const { shortfalls } = await plan([event.id, ...touched])
    if (shortfalls[0]) throw shortfalls[0].error
    return scheduledBy(event, await tieOf(tx, caller.workspaceId, event))
  })
}

function scheduledBy(event: CalendarEvent, tie: Tie | null): Scheduled {
  if (!tie?.joinAt) throw new Error('calendar: an event that was just scheduled has no bot')
  return { event, scheduleId: tie.scheduleId, botId: tie.botId as BotId, joinAt: tie.joinAt }
}

/** Returns the occurrences that it counts for; none where the event is no part of a series. */
async function wishForSeries(
  tx: Db,
  caller: Caller,
  event: CalendarEvent,
  { config, series }: ScheduleRequest,
  at: Date,
): Promise<string[]> {
  const master = await masterOf(tx, caller, event)
  if (!master) return []
  const until = series?.limit ? startAfter(master, event.start, series.limit) : null
  await writeWish(tx, [master.id], { wish: 'bot', config, from: event.start, until }, at)
  await setRecurring(tx, master.id, true)
  const ids = (await occurrencesFrom(tx, master.calendarId, master.platformId, at)).map(({ id }) => id)
  await writeWish(tx, ids, { wish: null, config: null, from: null, until: null }, at)
  return ids
}

/** A master stands for its next occurrence, or for the one that is named. */
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
  return known(tx, caller, found.id)
}

function checkAttendable(event: CalendarEvent, at: Date): void {
  if (event.isDeleted) throw invalid('This event was deleted.')
  if (event.isDeclined) throw invalid('This event was declined.')
  if (event.end <= at) throw invalid('This event is over.')
  if (event.start.getTime() > at.getTime() + HORIZON_MS) throw invalid('This event is more than 90 days ahead.')
  if (!event.meetingUrl) throw invalid('This event has no meeting link.')
  if (!event.meetingKey) throw invalid(`No bot can join this event's ${event.meetingPlatform} link.`)
}

export type UnscheduleRequest = { readonly series: boolean; readonly from: Date | null }

/** No bot for the event, or for all of its series from some day on; not even an automatic one. Says how many bots that cancelled. */
export async function unscheduleEvent(
  deps: CalendarDeps,
  caller: Caller,
  eventId: string,
  { series, from }: UnscheduleRequest,
): Promise<number> {
  return planned(deps, caller, async (tx, at, plan) => {
    const event = await known(tx, caller, eventId)
    const master = series || event.kind === 'master' ? await masterOf(tx, caller, event) : null
    const none = { wish: 'none', config: null, from: null, until: null } as const
    if (!master) {
      await writeWish(tx, [event.id], none, at)
      return (await plan([event.id])).cancelled
    }
    const since = from ?? new Date(Math.min(at.getTime(), master.start.getTime()))
    const ids = (await occurrencesFrom(tx, master.calendarId, master.platformId, at))
      .filter(({ start }) => start >= since)
      .map(({ id }) => id)
    await keepBefore(tx, master.calendarId, master.platformId, since)
    await writeWish(tx, [master.id], { ...none, from: since }, at)
    await writeWish(tx, ids, none, at)
    return (await plan(ids)).cancelled
  })
}

/** Whether a series goes on having bots. What was asked for one by one stays. */
export async function toggleRecurrence(deps: CalendarDeps, caller: Caller, eventId: string, enabled: boolean): Promise<CalendarEvent> {
  return planned(deps, caller, async (tx, at, plan) => {
    const master = await masterOf(tx, caller, await known(tx, caller, eventId))
    if (!master || master.recurrence.length === 0) throw invalid('event_id is not a recurring event: it has no recurrence rule.')
    await setRecurring(tx, master.id, enabled)
    await plan((await occurrencesFrom(tx, master.calendarId, master.platformId, at)).map(({ id }) => id))
    return { ...master, recurringEnabled: enabled }
  })
}

/** From now on every event of this user's own calendars has a bot, or no longer. Done at once, and by every sync from then on. */
export async function autoSchedule(deps: CalendarDeps, caller: Caller, enabled: boolean, config: JsonObject): Promise<void> {
  if (enabled) await checkConfig(deps, caller.workspaceId, config)
  await inTransaction(deps.db, async (tx) => {
    await setAutoSchedule(tx, caller.userId, { enabled, config }, deps.now())
    await replanUser(tx, caller.userId)
  })
  for (const connection of await listConnections(deps.db, caller.userId)) {
    await planAhead(deps, connection, (write) => planned(deps, caller, async (tx, _at, plan) => void (await plan(await write(tx)))))
  }
}

type Plan = (eventIds: readonly string[]) => Promise<Outcome>

/** What is said and what follows from it are one transaction; in one workspace one at a time. */
async function planned<Result>(
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

async function known(db: Db, { userId }: Caller, id: string): Promise<CalendarEvent> {
  const event = await findEvent(db, userId, id)
  if (!event) throw new ServiceError('event_not_found')
  return event
}

async function masterOf(tx: Db, caller: Caller, event: CalendarEvent): Promise<CalendarEvent | null> {
  if (event.kind === 'master') return event
  return event.masterId ? known(tx, caller, event.masterId) : null
}
