// What must hold in every run: at each claim, when a bot is sent away, and at the end.
import { MOST_COUNTED } from '../src/service/db/fleet/claims.ts'
import type { Meetings, Sitting } from './meetings.ts'
import type { Receiver } from './receiver.ts'
import type { Scenario } from './scenario.ts'
import type { Reply, Server } from './server.ts'
import type { World } from './world.ts'

export type Checks = {
  readonly world: World
  readonly server: Server
  readonly scenario: Scenario
  readonly meetings: Meetings
  readonly receiver: Receiver
  /** The bots whose creation was acknowledged. */
  readonly acknowledged: ReadonlySet<string>
}

const CLAIM = /^\s*with recursive[\s\S]*update bots set launch_at/

export function isClaim(text: string): boolean {
  return CLAIM.test(text)
}

/** Fairness: a workspace with fewer running bots comes first. */
export async function checkClaim({ world, server, scenario }: Checks, text: string, reply: Reply): Promise<void> {
  if (!isClaim(text) || 'error' in reply || reply.result.rows.length === 0 || !scenario.shareBrowsers) return
  const unfair = await server.ask<{ claimed: string; waiting: string }>(UNFAIR, [reply.result.rows.map(({ id }) => id), world.wallClock()])
  for (const { claimed, waiting } of unfair)
    world.fail(`unfair: ${claimed} was claimed while a bot of ${waiting} waits and fewer of its bots run`)
}

/**
 * Rows that another transaction has locked could not be claimed. A workspace with lost bots has its turn by them. Workspaces with more running
 * bots than a claim counts take turns.
 */
const UNFAIR = `
  with free as (
    select id from workspaces cross join lateral (
      select from bots where workspace_id = workspaces.id and node_id is null and launch_at <= $2::timestamptz and lost_at is null
      limit 1 for share skip locked) as waiting
    where not exists (
      select from bots where workspace_id = workspaces.id and node_id is null and launch_at is not null and lost_at is not null)
  ), load as (
    select id, (select count(*) from (select from bots where workspace_id = workspaces.id and node_id is not null and launch_at is not null
      limit ${MOST_COUNTED}) as running) as running from workspaces
  )
  select distinct claimed.id as claimed, free.id as waiting
  from bots as claimed join load as own on own.id = claimed.workspace_id
    join free on free.id <> claimed.workspace_id join load as other on other.id = free.id
  where claimed.id = any($1) and claimed.lost_at is null and other.running + 1 < own.running`

/** A bot ends by its newest session. If that session is sent away because the bot has ended, another one has ended it. */
export async function checkSentAway({ world, server, meetings }: Checks, sitting: Sitting): Promise<void> {
  if (!meetings.isNewest(sitting) || sitting.hasReported || sitting.wasStopped) return
  const [row] = await server.ask<{ status: string; reason: string | null; ended: boolean }>(
    'select status, error_reason as reason, ended_at is not null as ended from bots where id = $1 and fence = $2',
    [sitting.botId, sitting.fence],
  )
  if (row?.ended && row.reason !== 'WorkerLost')
    world.fail(`stale write: ${sitting.botId} became ${row.status} while its newest session (fence ${sitting.fence}) was in the meeting`)
}

export type Open = {
  readonly bots: number
  /** A few of them, with their status. */
  readonly some: string[]
  readonly deliveries: number
}

/** Bots and deliveries that have not ended yet. */
export async function findOpen({ server }: Checks): Promise<Open> {
  const [row] = await server.ask<Open>(`select (select count(*) from bots where ended_at is null) as bots,
    array(select id || ' is ' || status from bots where ended_at is null limit 5) as some,
    (select count(*) from deliveries where state in ('queued', 'sending')) as deliveries`)
  return row ?? { bots: 0, some: [], deliveries: 0 }
}

/** Every bot has ended and left, every event has arrived in order, and nothing that was acknowledged is missing. */
export async function checkEnd(checks: Checks): Promise<void> {
  const { world, server, meetings, acknowledged, scenario } = checks
  const rows = await server.ask<{ id: string }>('select id from bots')
  const known = new Set(rows.map(({ id }) => id))
  for (const id of acknowledged) if (!known.has(id)) world.fail(`lost bot: ${id} was acknowledged and does not exist`)
  if (known.size !== scenario.bots.length) world.fail(`${known.size} bots exist, but ${scenario.bots.length} were requested`)
  for (const { botId, worker } of meetings.sessions()) world.fail(`zombie: ${botId} has ended and still sits on ${worker.name}`)
  await checkArrivals(checks)
}

async function checkArrivals({ world, server, receiver }: Checks): Promise<void> {
  const events = await server.ask<{ bot: string; ids: string[]; undelivered: number }>(`
    select events.bot_id as bot, array_agg(events.id order by deliveries.seq) as ids,
      count(*) filter (where state is distinct from 'delivered') as undelivered
    from events left join deliveries on event_id = events.id group by events.bot_id`)
  for (const { bot, ids, undelivered } of events) {
    const arrived = receiver.arrivals.get(bot) ?? []
    if (undelivered > 0) world.fail(`undelivered: ${undelivered} events of ${bot}`)
    const missing = ids.filter((id) => !arrived.includes(id))
    if (missing.length > 0) world.fail(`lost event: ${missing.join(', ')} of ${bot} never arrived`)
    const problem = outOfOrder(ids, arrived)
    if (problem) world.fail(`out of order: ${problem} of ${bot}`)
  }
}

/** An event may arrive again, but not after the next one. */
function outOfOrder(ids: readonly string[], arrived: readonly string[]): string | null {
  let turn = -1
  for (const id of arrived) {
    const place = ids.indexOf(id)
    if (place !== turn && place !== turn + 1) return `${id} arrived after ${ids[turn] ?? 'nothing'}`
    turn = place
  }
  return null
}
