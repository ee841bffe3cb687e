// Events and their deliveries: the outbox, the queue and the log.
import { sql } from 'kysely'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { Db } from './database.ts'

export type NewEvent = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly botId: BotId
  readonly name: string
  readonly body: string
  readonly at: Date
}

/** Writes the event and queues it for its receiver. It waits with whatever of this bot still waits there, so that order is kept. */
export async function insertEvent(tx: Db, event: NewEvent, url: string | null): Promise<void> {
  const receiver = url && receiverOf(url)
  await sql`
    with event as (
      insert into events (id, workspace_id, bot_id, name, body, created_at)
      values (${event.id}, ${event.workspaceId}, ${event.botId}, ${event.name}, ${event.body}, ${event.at}) returning id
    )
    insert into deliveries (event_id, workspace_id, bot_id, url, receiver, due_at, created_at)
    select id, ${event.workspaceId}, ${event.botId}, ${url}, ${receiver}, coalesce((select max(due_at) from deliveries
      where bot_id = ${event.botId} and receiver = ${receiver} and state in ('queued', 'sending')), now()), ${event.at}
    from event where ${url}::text is not null`.execute(tx)
}

/** Where a URL leads, without the query that differs from bot to bot. */
export function receiverOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

export type ClaimedDelivery = {
  readonly seq: number
  readonly botId: BotId
  readonly url: string
  readonly receiver: string
  readonly attempt: number
  readonly body: string
  readonly createdAt: Date
}

export type ClaimLimits = {
  readonly limit: number
  /** How many more a receiver may get; one that is not named gets one. */
  readonly free: ReadonlyMap<string, number>
  readonly leaseSeconds: number
}

/** Takes the oldest open delivery of each bot and receiver, if it is due: the next one waits for its end. */
export async function claimDeliveries(db: Db, { limit, free, leaseSeconds }: ClaimLimits): Promise<ClaimedDelivery[]> {
  const freeOf = sql`coalesce((${JSON.stringify(Object.fromEntries(free))}::jsonb ->> receiver)::int, 1)`
  const { rows } = await sql<ClaimedDelivery>`
    with heads as (
      select seq, receiver, ${freeOf} as free from deliveries it
      where state = 'queued' and due_at <= now() and ${freeOf} > 0
        and seq = (select min(seq) from deliveries lane
          where lane.bot_id = it.bot_id and lane.receiver = it.receiver and lane.state in ('queued', 'sending'))
      order by due_at, seq limit ${limit * 2}
    ), ranked as (
      select seq, free, row_number() over (partition by receiver order by seq) as place from heads
    ), taken as (
      select seq from deliveries where seq in (select seq from ranked where place <= free limit ${limit})
        and state = 'queued' for update skip locked
    )
    update deliveries set state = 'sending', attempts = attempts + 1, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    from taken, events where deliveries.seq = taken.seq and events.id = deliveries.event_id
    returning deliveries.seq, deliveries.bot_id as "botId", url, receiver, attempts as attempt, body, deliveries.created_at as "createdAt"`.execute(
    db,
  )
  return rows
}

export type Attempt = {
  readonly seq: number
  readonly number: number
  readonly at: Date
  readonly durationMs: number
  readonly httpStatus: number | null
  readonly answerHead: string | null
  readonly error: string | null
}

export type Outcome = { readonly state: 'delivered' | 'failed' } | { readonly state: 'queued'; readonly retrySeconds: number }

/** Logs the attempt and says what follows. A retry makes everything behind it in the lane wait as long. */
export async function recordAttempt(db: Db, attempt: Attempt, outcome: Outcome): Promise<void> {
  const retrySeconds = outcome.state === 'queued' ? outcome.retrySeconds : null
  await sql`
    with logged as (
      insert into delivery_attempts (delivery_seq, number, at, duration_ms, http_status, answer_head, error)
      values (${attempt.seq}, ${attempt.number}, ${attempt.at}, ${attempt.durationMs}, ${attempt.httpStatus}, ${attempt.answerHead}, ${attempt.error})
      on conflict do nothing
    ), finished as (
      update deliveries set state = ${outcome.state}, claimed_until = null, last_status = ${attempt.httpStatus}, last_error = ${attempt.error},
        finished_at = case when ${outcome.state} = 'queued' then null else now() end,
        due_at = case when ${outcome.state} = 'queued' then now() + make_interval(secs => ${retrySeconds ?? 0}) else due_at end
      where seq = ${attempt.seq} and state = 'sending' and attempts = ${attempt.number}
      returning seq, bot_id, receiver, due_at, state
    )
    update deliveries behind set due_at = finished.due_at from finished
    where finished.state = 'queued' and behind.bot_id = finished.bot_id and behind.receiver = finished.receiver
      and behind.seq > finished.seq and behind.state = 'queued'`.execute(db)
}

/** Gives back what a sender that died had taken. */
export async function releaseLapsed(db: Db): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ state: 'queued', claimed_until: null })
    .where('state', '=', sql.lit('sending' as const))
    .where('claimed_until', '<', sql<Date>`now()`)
    .execute()
}
