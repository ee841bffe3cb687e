// Supervises all bots of the database, on every node: finds lapsed claims, and bots that have waited too long for a seat.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { lapsedClaims, overdueBots, waitingBots } from '../db/claims.ts'
import { lapseNodes, lookAhead } from '../db/node-leases.ts'
import { untilDue } from '../db/until-due.ts'
import { LEASES } from '../leases.ts'
import { exhaustBot, failBot } from './fail.ts'
import { type FleetPace, type Looks, spreadMs } from './fleet-pace.ts'
import { loseBot } from './lose.ts'
import { type RecheckDeps, rejectWaiting } from './recheck.ts'
import { RETRY_WINDOW_MS } from './schedule.ts'
import { type FleetDeps, noteQueued } from './transition.ts'

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
    readonly seatWaitSeconds: number
    /** No lease could be renewed at this time, because the database did not work. */
    readonly wasDown?: (at: Date) => boolean
  }

type SupervisionOptions = SupervisionDeps & { readonly log: Logger; readonly pace: FleetPace }

export function startSupervision({ log, pace, ...deps }: SupervisionOptions): Loop {
  return startLoop({
    async work() {
      await supervise(deps)
      const { untilLapseMs, ...size } = await lookAhead(deps.db, LOOKS.everyMs)
      pace.size = size
      return untilLapseMs === null ? LOOKS.everyMs + spreadMs(pace, size.nodes, LOOKS) : untilLapseMs + pace.random() * SPREAD_MS
    },
    onError: (error) => log.error({ err: error }, 'bots could not be supervised; it is tried again'),
    retryMs: LOOKS.everyMs,
  })
}

export async function supervise(deps: SupervisionDeps): Promise<void> {
  await lapseNodes(deps.db)
  await loseLapsed(deps)
  // Both concern bots that wait for a seat, and usually none does.
  if ((await untilDue(deps.db, 'launches')) > 0) return
  await endOverdue(deps)
  await noteWaiting(deps)
}

/**
 * Nothing is known of the bot since the last renewal, so the absence begins there. A locked row belongs to another node that does the same, or
 * to an open transaction of the lost machine, which the database ends after half a minute: the other bots do not wait for it.
 */
async function loseLapsed(deps: SupervisionDeps): Promise<void> {
  const lapsed = await lapsedClaims(deps.db, AT_ONCE)
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
  const waits = { startedBefore: before(deps.seatWaitSeconds * 1000), joinBefore: before(RETRY_WINDOW_MS), limit: AT_ONCE }
  for (const bot of await overdueBots(deps.db, waits)) {
    if (bot.status === 'Scheduled') await exhaustBot(deps, bot, at)
    else await failBot(deps, { bot: bot.id, fence: bot.fence, at, step: 'wait', reason: 'NoCapacity', message: noSeat(deps) })
  }
}

function noSeat({ seatWaitSeconds }: SupervisionDeps): string {
  return `No seat was free within ${seatWaitSeconds} s. Try again later, or add capacity (BOT_HOSTS, BOTS_PER_HOST)`
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
