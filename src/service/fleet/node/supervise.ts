// Supervises all bots of the database, on every node: finds lapsed claims, and bots that have waited too long for a seat.
import type { Logger } from '../../../kit/log.ts'
import { type Loop, startLoop } from '../../../kit/loop.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import { lapsedClaims, overdueBots, waitingBots } from '../../db/fleet/claims.ts'
import { beginLook, type LapseLook } from '../../db/fleet/lapse-look.ts'
import { lapseNodes, lookAhead } from '../../db/fleet/node-leases.ts'
import { nextPeak } from '../../db/fleet/peak.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import { untilDue } from '../../db/until-due.ts'
import { LEASES } from '../../leases.ts'
import { exhaustBot, failBot } from '../bot/fail.ts'
import { loseBot } from '../bot/lose.ts'
import { type RecheckDeps, rejectWaiting } from '../bot/recheck.ts'
import { RETRY_WINDOW_MS, SOONEST_MS } from '../bot/schedule.ts'
import { type FleetDeps, noteQueued } from '../bot/transition.ts'
import { JOIN_MS } from '../workers/joins.ts'
import { type FleetPace, type Looks, notePeak, spreadMs } from './fleet-pace.ts'
import type { LapseRights } from './lapse-rights.ts'
import type { OverdueBots } from './overdue-bots.ts'
import type { Strangers } from './strangers.ts'

/** Ten looks a second of a large fleet find a lost node as soon as one look a second of each node. */
const LOOKS: Looks = { everyMs: 1_000, perSecond: 10 }
/** Several nodes know when a lease lapses. The first of them requeues the bot, and the others find nothing. */
const SPREAD_MS = 200
const AT_ONCE = 200
/** A bot that is claimed sooner does not count as queued. */
const WAITS_AFTER_MS = 2_000

export type SupervisionDeps = FleetDeps &
  RecheckDeps & {
    readonly now: () => Date
    readonly nodeId: string
    readonly rights: LapseRights
    readonly strangers: Strangers
    readonly overdue: OverdueBots
    readonly seatWaitSeconds: number
    /** No lease could be renewed at this time, because the database did not work. */
    readonly wasDown?: (at: Date) => boolean
  }

type SupervisionOptions = SupervisionDeps & {
  readonly log: Logger
  readonly pace: FleetPace
  /** How many bots join at once on this node, and as far as it knows on each other one. */
  readonly joinPlaces: number
}

export function startSupervision({ log, pace, joinPlaces, ...deps }: SupervisionOptions): Loop {
  return startLoop({
    async work() {
      await supervise(deps).catch((error: unknown) => {
        if (isUnreachable(error)) deps.rights.noteBreak()
        throw error
      })
      const { untilLapseMs, ...size } = await lookAhead(deps.db, LOOKS.everyMs)
      pace.size = size
      const rounds = { places: joinPlaces * Math.max(1, size.withSeats), joinMs: JOIN_MS, mostMs: SOONEST_MS }
      notePeak(pace, await nextPeak(deps.db, rounds), monotonicMs())
      return untilLapseMs === null ? LOOKS.everyMs + spreadMs(pace, size.nodes, LOOKS) : untilLapseMs + pace.random() * SPREAD_MS
    },
    onError: (error) => log.error({ err: error }, 'bots could not be supervised; it is tried again'),
    retryMs: LOOKS.everyMs,
  })
}

export async function supervise(deps: SupervisionDeps): Promise<void> {
  await endLapsed(deps)
  // Both concern bots that wait for a seat, and usually none does.
  if ((await untilDue(deps.db, 'launches')) > 0) return
  await endOverdue(deps)
  await noteWaiting(deps)
}

async function endLapsed(deps: SupervisionDeps): Promise<void> {
  const { db, nodeId, rights, strangers } = deps
  const { validUntil, strangers: holders } = await beginLook(db, nodeId)
  rights.noteLook()
  strangers.observe(holders)
  if (!rights.mayEnd()) return
  const look = { nodeId, validUntil, left: strangers.left() }
  await lapseNodes(db, look)
  await loseLapsed(deps, look)
}

/**
 * Nothing is known of the bot since the last renewal, so the absence begins there. A locked row belongs to another node that does the same, or
 * to an open transaction of the lost machine, which the database ends after half a minute: the other bots do not wait for it.
 */
async function loseLapsed(deps: SupervisionDeps, look: LapseLook): Promise<void> {
  const lapsed = await lapsedClaims(deps.db, look, AT_ONCE)
  for (const claim of lapsed) {
    const from = new Date(claim.lapsedAt.getTime() - LEASES.bot.seconds * 1000)
    const reason = deps.wasDown?.(claim.lapsedAt) ? 'DatabaseUnreachable' : 'WorkerLost'
    await loseBot(deps, claim, { reason, from, onlyIfLapsed: true })
  }
  if (lapsed.length > 0) deps.onDue()
}

async function endOverdue(deps: SupervisionDeps): Promise<void> {
  const at = deps.now()
  const before = (ms: number): Date => new Date(at.getTime() - ms)
  const seatWaitMs = deps.seatWaitSeconds * 1000
  const waits = { startedBefore: before(seatWaitMs), joinBefore: before(RETRY_WINDOW_MS), limit: AT_ONCE }
  for (const bot of deps.overdue.observe(await overdueBots(deps.db, waits), seatWaitMs)) {
    if (bot.status === 'Scheduled') await exhaustBot(deps, bot, at)
    else await failBot(deps, { bot: bot.id, fence: bot.fence, at, step: 'wait', reason: 'NoCapacity', message: noSeat(deps) })
  }
}

function noSeat({ seatWaitSeconds }: SupervisionDeps): string {
  return `No seat was free within ${seatWaitSeconds} s. Try again later, or add capacity (BOT_WORKERS, BOTS_PER_WORKER)`
}

/** The Queued stage is written after the check, so a crash between both repeats it, and each bot is checked once otherwise. */
async function noteWaiting(deps: SupervisionDeps): Promise<void> {
  const at = deps.now()
  const waiting = await waitingBots(deps.db, { dueBefore: new Date(at.getTime() - WAITS_AFTER_MS), limit: AT_ONCE })
  if (waiting.length === 0) return
  await rejectWaiting(deps, waiting, at)
  await noteQueued(
    deps,
    waiting.map(({ id }) => id),
    at,
  )
}
