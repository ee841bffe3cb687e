// Applies the plan of related calendar events to their bots, in one transaction.
import type { BotId, ConnectionId, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import { JOIN_BEFORE_MS } from '../../domain/calendar.ts'
import { type Candidate, type Existing, planSteps, type Step, type WantedBot, wantedBots } from '../../domain/calendar-plan.ts'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import {
  changeSchedule,
  insertSchedule,
  type JoinDetails,
  loadCandidates,
  loadJoinDetails,
  loadSchedules,
  type RelatedKeys,
  redirectBot,
  relatedKeysOf,
  releaseSchedules,
} from '../db/calendar/plan.ts'
import type { Db } from '../db/database.ts'
import { findBot, rewriteSchedule } from '../db/fleet/bots.ts'
import { createBot } from '../fleet/bot/create.ts'
import { HORIZON_MS, launchTime } from '../fleet/bot/schedule.ts'
import { transition } from '../fleet/bot/transition.ts'
import type { CalendarDeps, PreparedBot } from './deps.ts'

/** How long an occurrence is considered after its end. */
const LOOK_BACK_MS = 86_400_000

type Shortfall = {
  readonly eventId: string
  readonly connectionId: ConnectionId
  readonly start: Date
  readonly error: ServiceError
}

export type Outcome = {
  created: number
  changed: number
  cancelled: number
  /** Requested bots that could not be created, for lack of credits or because of an invalid configuration. */
  readonly shortfalls: Shortfall[]
}

export type Planning = Pick<CalendarDeps, 'fleet' | 'prepareBot'> & {
  readonly tx: Db
  readonly workspaceId: WorkspaceId
  readonly at: Date
}

/** Plans the bots of these events and of all related events. The caller holds `lockPlans`. */
export async function replan(planning: Planning, eventIds: readonly string[]): Promise<Outcome> {
  const outcome: Outcome = { created: 0, changed: 0, cancelled: 0, shortfalls: [] }
  if (eventIds.length === 0) return outcome
  // A repeated plan requests the missing bots again.
  while ((await planOnce(planning, eventIds, outcome)) === 'again') outcome.shortfalls.length = 0
  return outcome
}

async function planOnce(planning: Planning, eventIds: readonly string[], outcome: Outcome): Promise<'done' | 'again'> {
  const { candidates, existing } = await loadRelated(planning, eventIds)
  const horizon = planning.at.getTime() + HORIZON_MS
  const wanted = wantedBots(candidates).filter(({ start }) => start.getTime() <= horizon)
  return execute(planning, planSteps(wanted, existing, planning.at), outcome)
}

/** Collects related occurrence and meeting keys until no new one is found. */
async function loadRelated(
  { tx, workspaceId, at }: Planning,
  eventIds: readonly string[],
): Promise<{ candidates: Candidate[]; existing: Existing[] }> {
  const since = new Date(at.getTime() - LOOK_BACK_MS)
  let keys = await relatedKeysOf(tx, eventIds)
  for (;;) {
    const existing = await loadSchedules(tx, workspaceId, keys, since)
    const candidates = await loadCandidates(tx, workspaceId, keys, since)
    const related = [...candidates, ...existing]
    const wider: RelatedKeys = {
      occurrences: [...new Set([...keys.occurrences, ...related.map(({ occurrenceKey }) => occurrenceKey)])],
      meetings: [...new Set([...keys.meetings, ...related.flatMap(({ meetingKey }) => meetingKey ?? [])])],
    }
    if (wider.occurrences.length === new Set(keys.occurrences).size && wider.meetings.length === new Set(keys.meetings).size)
      return { candidates, existing }
    keys = wider
  }
}

/** `again`: a bot has started meanwhile, so a new plan is needed. */
async function execute(planning: Planning, steps: readonly Step[], outcome: Outcome): Promise<'done' | 'again'> {
  const { tx, at } = planning
  const ended = steps.flatMap((step) => (step.kind === 'create' ? [] : [step.existing.scheduleId]))
  const details = await loadJoinDetails(
    tx,
    steps.flatMap((step) => ('wanted' in step ? [step.wanted.eventId, step.wanted.linkEventId] : [])),
  )
  // Schedules that only change are released first, or two could never swap.
  await releaseSchedules(tx, ended, at)
  let started = 0
  for (const step of steps) {
    if (step.kind === 'cancel') outcome.cancelled += Number(await cancelBot(planning, step.existing))
    else if (step.kind === 'change') started += Number((await change(planning, step, details, outcome)) === 'started')
    else if (step.kind === 'create') await create(planning, step.wanted, joinDetailsFor(step.wanted, details), outcome)
  }
  return started > 0 ? 'again' : 'done'
}

/** One copy of the event gives the configuration, the newest one the link. */
function joinDetailsFor({ eventId, linkEventId }: WantedBot, details: ReadonlyMap<string, JoinDetails>): JoinDetails | undefined {
  const detail = details.get(eventId)
  const link = details.get(linkEventId)
  return detail && link && { ...detail, url: link.url }
}

async function cancelBot({ fleet, tx, at }: Planning, { botId }: Existing): Promise<boolean> {
  const message = 'The calendar no longer has this meeting for the bot'
  return (await transition({ ...fleet, db: tx, onNews: () => undefined }, { bot: botId as BotId, by: 'cancelled', at, message })) !== null
}

type Change = Extract<Step, { kind: 'change' }>

async function change(
  planning: Planning,
  step: Change,
  details: ReadonlyMap<string, JoinDetails>,
  outcome: Outcome,
): Promise<'done' | 'started'> {
  const { existing, wanted, moves, relinks } = step
  const detail = joinDetailsFor(wanted, details)
  const bot = relinks && detail ? await prepared(planning, wanted, detail, outcome) : null
  if (relinks && !bot) {
    outcome.cancelled += Number(await cancelBot(planning, existing))
    return 'done'
  }
  const joinAt = joinTime(wanted, planning.at)
  const started =
    (moves || relinks) &&
    !(await redirectBot(planning.tx, existing.botId, { joinAt, launchAt: launchTime(joinAt), spec: bot?.spec ?? null }))
  // A bot that has just started keeps its schedule, and the next plan finds it running.
  await changeSchedule(planning.tx, existing, started ? { ...wanted, ...existing, occurrenceKeys: [existing.occurrenceKey] } : wanted)
  if (started) return 'started'
  if (wanted.eventId !== existing.eventId) await writeEventId(planning, existing.botId, wanted.eventId)
  outcome.changed += Number(moves || relinks)
  return 'done'
}

/** Writes the event's id to the bot's custom attributes. */
async function writeEventId({ tx, workspaceId }: Planning, botId: string, eventId: string): Promise<void> {
  const bot = await findBot(tx, workspaceId, botId)
  if (!bot?.joinAt) return
  const customAttributes = { ...bot.customAttributes, event_id: eventId }
  await rewriteSchedule(tx, bot, { joinAt: bot.joinAt, launchAt: launchTime(bot.joinAt), customAttributes, spec: bot.spec })
}

async function create(planning: Planning, wanted: WantedBot, detail: JoinDetails | undefined, outcome: Outcome): Promise<void> {
  const { fleet, tx, workspaceId, at } = planning
  if (!detail) return
  const bot = await prepared(planning, wanted, detail, outcome)
  if (!bot) return
  const id = newId('sch', at)
  const keys = { idempotencyKey: null, deduplicationKey: `calendar:${id}` }
  const deps = { ...fleet, db: tx, onNews: () => undefined, onDue: () => undefined }
  try {
    const { bot: made } = await createBot(deps, { workspaceId, ...bot, ...keys, joinAt: joinTime(wanted, at) }, at)
    await insertSchedule(tx, { id, workspaceId, botId: made.id, wanted }, at)
    outcome.created += 1
  } catch (error) {
    addShortfall(outcome, wanted, detail, error)
  }
}

async function prepared(
  { prepareBot, workspaceId }: Planning,
  wanted: WantedBot,
  detail: JoinDetails,
  outcome: Outcome,
): Promise<PreparedBot | null> {
  try {
    const bot = await prepareBot(workspaceId, configOf(detail), detail.url)
    return { ...bot, customAttributes: { ...bot.customAttributes, source: 'calendar', event_id: wanted.eventId } }
  } catch (error) {
    addShortfall(outcome, wanted, detail, error)
    return null
  }
}

/** One configuration of all; a later one wins. */
export function configOf(details: JoinDetails | undefined): JsonObject {
  return Object.assign({}, ...(details?.configs ?? []))
}

/** A bot that cannot be created must not block the others. */
function addShortfall(outcome: Outcome, { start, eventId }: WantedBot, { connectionId }: JoinDetails, error: unknown): void {
  if (!(error instanceof ServiceError)) throw error
  outcome.shortfalls.push({ eventId, connectionId, start, error })
}

/** A minute before the start, or now if that has passed. */
function joinTime({ start }: WantedBot, now: Date): Date {
  return new Date(Math.max(start.getTime() - JOIN_BEFORE_MS, now.getTime()))
}
