// Turns a change of the mirror into bots: reads what hangs together, asks the plan, and does what it says, in one transaction.
import type { BotId, ConnectionId, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import { JOIN_BEFORE_MS } from '../../domain/calendar.ts'
import { type Candidate, type Existing, planSteps, type Step, type WantedBot, wantedBots } from '../../domain/calendar-plan.ts'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { findBot, rewriteSchedule } from '../db/bots.ts'
import {
  changeSchedule,
  type Errand,
  insertSchedule,
  loadCandidates,
  loadErrands,
  loadSchedules,
  redirectBot,
  releaseSchedules,
  type Threads,
  threadsOf,
} from '../db/calendars-plan.ts'
import type { Db } from '../db/database.ts'
import { createBot } from '../fleet/create.ts'
import { HORIZON_MS, launchTime } from '../fleet/schedule.ts'
import { transition } from '../fleet/transition.ts'
import type { CalendarDeps, PreparedBot } from './deps.ts'

/** How long an occurrence that is over is still looked at. */
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
  /** Bots that are wanted and could not be had: for want of credits, or because of what was asked for. */
  readonly shortfalls: Shortfall[]
}

export type Planning = Pick<CalendarDeps, 'fleet' | 'prepareBot'> & {
  readonly tx: Db
  readonly workspaceId: WorkspaceId
  readonly at: Date
}

/** Brings the bots of these events, and of everything that hangs together with them, to what the mirror says. Hold `lockPlans`. */
export async function replan(planning: Planning, eventIds: readonly string[]): Promise<Outcome> {
  const outcome: Outcome = { created: 0, changed: 0, cancelled: 0, shortfalls: [] }
  if (eventIds.length === 0) return outcome
  const { candidates, existing } = await cluster(planning, eventIds)
  const horizon = planning.at.getTime() + HORIZON_MS
  const wanted = wantedBots(candidates).filter(({ start }) => start.getTime() <= horizon)
  const steps = planSteps(wanted, existing, planning.at)
  if ((await carryOut(planning, steps, outcome)) === 'again') return added(outcome, await replan(planning, eventIds))
  return outcome
}

function added(first: Outcome, second: Outcome): Outcome {
  return {
    created: first.created + second.created,
    changed: first.changed + second.changed,
    cancelled: first.cancelled + second.cancelled,
    // What could not be had was asked for again.
    shortfalls: second.shortfalls,
  }
}

/** Follows names of occurrences and of meetings until they lead nowhere new. */
async function cluster(
  { tx, workspaceId, at }: Planning,
  eventIds: readonly string[],
): Promise<{ candidates: Candidate[]; existing: Existing[] }> {
  const since = new Date(at.getTime() - LOOK_BACK_MS)
  let threads = await threadsOf(tx, eventIds)
  for (;;) {
    const existing = await loadSchedules(tx, workspaceId, threads, since)
    const candidates = await loadCandidates(tx, workspaceId, threads, since)
    const wider: Threads = {
      occurrences: distinct(
        threads.occurrences,
        [...candidates, ...existing].map(({ occurrenceKey }) => occurrenceKey),
      ),
      meetings: distinct(
        threads.meetings,
        [...candidates, ...existing].flatMap(({ meetingKey }) => meetingKey ?? []),
      ),
    }
    if (wider.occurrences.length === new Set(threads.occurrences).size && wider.meetings.length === new Set(threads.meetings).size)
      return { candidates, existing }
    threads = wider
  }
}

function distinct(known: readonly string[], more: readonly string[]): string[] {
  return [...new Set([...known, ...more])]
}

/** `again`: a bot has started meanwhile, so that the steps are not all that is to be done. */
async function carryOut(planning: Planning, steps: readonly Step[], outcome: Outcome): Promise<'done' | 'again'> {
  const { tx, at } = planning
  const ended = steps.flatMap((step) => (step.kind === 'create' ? [] : [step.existing.scheduleId]))
  const errands = await loadErrands(
    tx,
    steps.flatMap((step) => ('wanted' in step ? [step.wanted.eventId, step.wanted.linkEventId] : [])),
  )
  // Those that only change let go of their places first, or two could never swap.
  await releaseSchedules(tx, ended, at)
  let started = 0
  for (const step of steps) {
    if (step.kind === 'cancel') outcome.cancelled += Number(await callOff(planning, step.existing))
    else if (step.kind === 'change') started += Number((await change(planning, step, errands, outcome)) === 'started')
    else if (step.kind === 'create') await create(planning, step.wanted, errandFor(step.wanted, errands), outcome)
  }
  return started > 0 ? 'again' : 'done'
}

/** One copy says what the bot is like, and the newest one where it goes. */
function errandFor({ eventId, linkEventId }: WantedBot, errands: ReadonlyMap<string, Errand>): Errand | undefined {
  const errand = errands.get(eventId)
  const link = errands.get(linkEventId)
  return errand && link && { ...errand, url: link.url }
}

async function callOff({ fleet, tx, at }: Planning, { botId }: Existing): Promise<boolean> {
  const message = 'The calendar no longer has this meeting for the bot'
  return (await transition({ ...fleet, db: tx, onNews: () => undefined }, { bot: botId as BotId, by: 'cancelled', at, message })) !== null
}

type Change = Extract<Step, { kind: 'change' }>

async function change(
  planning: Planning,
  step: Change,
  errands: ReadonlyMap<string, Errand>,
  outcome: Outcome,
): Promise<'done' | 'started'> {
  const { existing, wanted, moves, relinks } = step
  const errand = errandFor(wanted, errands)
  const bot = relinks && errand ? await prepared(planning, wanted, errand, outcome) : null
  if (relinks && !bot) {
    outcome.cancelled += Number(await callOff(planning, existing))
    return 'done'
  }
  const joinAt = joinTime(wanted, planning.at)
  const started =
    (moves || relinks) &&
    !(await redirectBot(planning.tx, existing.botId, { joinAt, launchAt: launchTime(joinAt), spec: bot?.spec ?? null }))
  // A bot that has just started keeps its place; whoever looks again finds it on its way.
  await changeSchedule(planning.tx, existing, started ? { ...wanted, ...existing, occurrenceKeys: [existing.occurrenceKey] } : wanted)
  if (started) return 'started'
  if (wanted.eventId !== existing.eventId) await rename(planning, existing.botId, wanted.eventId)
  outcome.changed += Number(moves || relinks)
  return 'done'
}

/** A bot says for which event it goes. */
async function rename({ tx, workspaceId }: Planning, botId: string, eventId: string): Promise<void> {
  const bot = await findBot(tx, workspaceId, botId)
  if (!bot?.joinAt) return
  const customAttributes = { ...bot.customAttributes, event_id: eventId }
  await rewriteSchedule(tx, bot, { joinAt: bot.joinAt, launchAt: launchTime(bot.joinAt), customAttributes, spec: bot.spec })
}

async function create(planning: Planning, wanted: WantedBot, errand: Errand | undefined, outcome: Outcome): Promise<void> {
  const { fleet, tx, workspaceId, at } = planning
  if (!errand) return
  const bot = await prepared(planning, wanted, errand, outcome)
  if (!bot) return
  const id = newId('sch', at)
  const keys = { idempotencyKey: null, deduplicationKey: `calendar:${id}` }
  const deps = { ...fleet, db: tx, onNews: () => undefined, onDue: () => undefined }
  try {
    const { bot: made } = await createBot(deps, { workspaceId, ...bot, ...keys, joinAt: joinTime(wanted, at) }, at)
    await insertSchedule(tx, { id, workspaceId, botId: made.id, wanted }, at)
    outcome.created += 1
  } catch (error) {
    shortOf(outcome, wanted, errand, error)
  }
}

async function prepared(
  { prepareBot, workspaceId }: Planning,
  wanted: WantedBot,
  errand: Errand,
  outcome: Outcome,
): Promise<PreparedBot | null> {
  const config: JsonObject = Object.assign({}, ...errand.configs)
  try {
    const bot = await prepareBot(workspaceId, config, errand.url)
    return { ...bot, customAttributes: { ...bot.customAttributes, source: 'calendar', event_id: wanted.eventId } }
  } catch (error) {
    shortOf(outcome, wanted, errand, error)
    return null
  }
}

/** One bot that cannot be had must not cost the others theirs. */
function shortOf(outcome: Outcome, { start, eventId }: WantedBot, { connectionId }: Errand, error: unknown): void {
  if (!(error instanceof ServiceError)) throw error
  outcome.shortfalls.push({ eventId, connectionId, start, error })
}

/** A minute before the start, or now where that has passed. */
function joinTime({ start }: WantedBot, now: Date): Date {
  return new Date(Math.max(start.getTime() - JOIN_BEFORE_MS, now.getTime()))
}
