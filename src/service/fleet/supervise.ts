// Looks after every bot of the database, on every node: finds claims without a node, and bots that have waited for a seat for too long.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { lapsedClaims, overdueBots } from '../db/claims.ts'
import { exhaustBot, failBot } from './fail.ts'
import { LEASE_SECONDS } from './lease.ts'
import { loseBot } from './lose.ts'
import { RETRY_WINDOW_MS } from './schedule.ts'
import { type FleetDeps, noteQueued } from './transition.ts'

const LOOK_EVERY_MS = 1_000
const AT_ONCE = 200
/** A bot that is claimed sooner did not wait. */
const WAITS_AFTER_MS = 2_000

export type SupervisionDeps = FleetDeps & { readonly now: () => Date; readonly seatWaitSeconds: number }

export function startSupervision({ log, ...deps }: SupervisionDeps & { readonly log: Logger }): Loop {
  return startLoop({
    async work() {
      await supervise(deps)
      return LOOK_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'bots could not be looked after'),
    retryMs: LOOK_EVERY_MS,
  })
}

export async function supervise(deps: SupervisionDeps): Promise<void> {
  await loseLapsed(deps)
  await endOverdue(deps)
  await noteWaiting(deps)
}

/** The lease began when it was last renewed: from then on nothing is known of the bot. */
async function loseLapsed(deps: SupervisionDeps): Promise<void> {
  const lapsed = await lapsedClaims(deps.db, AT_ONCE)
  for (const claim of lapsed) {
    const from = new Date(claim.lapsedAt.getTime() - LEASE_SECONDS * 1000)
    await loseBot(deps, claim, { reason: 'WorkerLost', from })
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

async function noteWaiting(deps: SupervisionDeps): Promise<void> {
  const at = deps.now()
  await noteQueued(deps, { at, dueBefore: new Date(at.getTime() - WAITS_AFTER_MS), limit: AT_ONCE })
}
