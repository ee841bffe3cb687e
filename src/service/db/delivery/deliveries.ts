// Events and their deliveries: the outbox, the queue and the log.
import { CompiledQuery, sql } from 'kysely'
import type { Bot, BotId, WorkspaceId } from '../../../domain/bot.ts'
import { PLAN_ANEW } from '../client.ts'
import type { Db } from '../database.ts'
import { onlyRow, rowsOf } from '../query.ts'

/** The fields of a bot that its events carry. */
export type Subject = Pick<Bot, 'id' | 'workspaceId' | 'callbackUrl' | 'transcriptId' | 'customAttributes'>

export type NewEvent = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly botId: BotId
  readonly name: string
  readonly body: string
  readonly at: Date
}

/**
 * The receivers of an event, as SQL: the addresses given with the bot, and the workspace's endpoints that subscribe to the event.
 * The arguments are SQL too.
 */
export function targets({
  urls,
  receivers,
  workspace,
  name,
}: Readonly<Record<'urls' | 'receivers' | 'workspace' | 'name', string>>): string {
  return `
    select null as endpoint_id, url, receiver from unnest(${urls}::text[], ${receivers}::text[]) as given (url, receiver)
    union all select id, url, id from webhook_endpoints
    where workspace_id = ${workspace} and disabled_at is null and events && array[${name}, '*']::text[]`
}

const INSERT_EVENT = `
  with event as (
    insert into events (id, workspace_id, bot_id, name, body, created_at) values ($1, $2, $3, $4, $5, $6) returning id
  )
  insert into deliveries (event_id, workspace_id, bot_id, endpoint_id, url, receiver, due_at, created_at)
  select event.id, $2, $3, endpoint_id, url, target.receiver, coalesce((select max(due_at) from deliveries open
    where open.bot_id = $3 and open.receiver = target.receiver and open.state in ('queued', 'sending')), now()), $6
  from event, (${targets({ workspace: '$2', name: '$4', urls: '$7', receivers: '$8' })}) as target`

/** Writes the event and queues it for its receivers. It is due no earlier than the bot's other queued events for the same receiver, which keeps the order. */
export async function insertEvent(tx: Db, { id, workspaceId, botId, name, body, at }: NewEvent, urls: readonly string[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(INSERT_EVENT, [id, workspaceId, botId, name, body, at, urls, urls.map(receiverOf)]))
}

/** Writes an event about an endpoint itself and queues it there, independent of all others. Returns its delivery. */
export async function insertTest(
  tx: Db,
  event: Omit<NewEvent, 'botId'>,
  endpoint: { readonly id: string; readonly url: string },
): Promise<number> {
  await insertNotice(tx, event)
  const { seq } = await onlyRow<{ seq: number }>(tx)`
    insert into deliveries (event_id, workspace_id, bot_id, endpoint_id, url, receiver, due_at, created_at)
    values (${event.id}, ${event.workspaceId}, ${endpoint.id}, ${endpoint.id}, ${endpoint.url}, ${endpoint.id}, now(), ${event.at})
    returning seq`
  return seq
}

/** Writes an event for the feed, which is never sent. */
export async function insertNotice(tx: Db, { id, workspaceId, name, body, at }: Omit<NewEvent, 'botId'>): Promise<void> {
  await sql`insert into events (id, workspace_id, name, body, created_at)
    values (${id}, ${workspaceId}, ${name}, ${body}, ${at})`.execute(tx)
}

/** The URL without its query, which differs from bot to bot. */
export function receiverOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

export type ClaimedDelivery = {
  readonly seq: number
  readonly botId: BotId
  readonly eventId: string
  readonly url: string
  readonly receiver: string
  readonly attempt: number
  readonly body: string
  readonly createdAt: Date
  /** Null: an address given with the bot. */
  readonly endpointId: string | null
  /** Sealed. Null: the endpoint was deleted or disabled. */
  readonly secret: Buffer | null
  /** Whether a response outside 2xx is retried. */
  readonly retriesAnswers: boolean
}

export type ClaimLimits = {
  readonly limit: number
  /** How many more requests a receiver may have. An unknown receiver may have one. */
  readonly free: ReadonlyMap<string, number>
  readonly leaseSeconds: number
}

/** The oldest due deliveries that a claim reads before it goes from receiver to receiver. */
const READ_FIRST = 500
/** Most of a receiver's oldest ones may wait behind others of their bots. */
const READ_OF_RECEIVER = 50

/**
 * Claims the oldest open delivery of each bot and receiver, if it is due: the next one waits for its end. If many deliveries are due, most of
 * them may wait for receivers that do not answer. Then the receivers are found by an index skip scan, so that the cost does not grow with the
 * queue. Planned anew each time: a plan made for an empty queue uses nested loops, and a queue fills in seconds.
 */
export function claimDeliveries(db: Db, { limit, free, leaseSeconds }: ClaimLimits): Promise<ClaimedDelivery[]> {
  const freeOf = (receiver: string) => sql`coalesce(((select given.free from given) ->> ${sql.ref(receiver)})::int, 1)`
  const isHead = sql`it.seq = (select min(seq) from deliveries lane
    where lane.bot_id = it.bot_id and lane.receiver = it.receiver and lane.state in ('queued', 'sending'))`
  return rowsOf<ClaimedDelivery>(db)`
    with recursive given as materialized (
      select ${JSON.stringify(Object.fromEntries(free))}::jsonb as free
    ), oldest as materialized (
      select seq, bot_id, receiver, due_at from deliveries where state = 'queued' and due_at <= now() order by due_at, seq limit ${READ_FIRST}
    ), first as materialized (
      select seq, receiver, due_at, row_number() over (partition by receiver order by due_at, seq) as place from oldest as it
      where ${freeOf('receiver')} > 0 and ${isHead}
    ), sendable as materialized (
      select seq, due_at from first where place <= ${freeOf('receiver')}
    ), receivers as (
      (select receiver from deliveries where state = 'queued' and (select count(*) from oldest) = ${READ_FIRST}
        and (select count(*) from sendable) < ${limit} order by receiver limit 1)
      union all
      select next.receiver from receivers cross join lateral (
        select receiver from deliveries as it where state = 'queued' and it.receiver > receivers.receiver order by receiver limit 1) as next
    ), chosen as (
      select seq, due_at from sendable
      union
      select head.* from receivers cross join lateral (
        select seq, due_at from (
          select seq, bot_id, receiver, due_at from deliveries where receiver = receivers.receiver and state = 'queued' and due_at <= now()
          order by due_at, seq limit ${READ_OF_RECEIVER}) as it
        where ${isHead} order by due_at, seq limit ${freeOf('receivers.receiver')}) as head
      order by due_at, seq limit ${limit}
    ), taken as (
      select seq, endpoint_id from deliveries where seq in (select seq from chosen) and state = 'queued' for update skip locked
    )
    update deliveries set state = 'sending', url = coalesce(endpoint.url, deliveries.url), attempts = attempts + 1, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    from taken left join webhook_endpoints as endpoint on endpoint.id = taken.endpoint_id and disabled_at is null, events
    where deliveries.seq = taken.seq and events.id = deliveries.event_id
    returning deliveries.seq, deliveries.bot_id as "botId", event_id as "eventId", deliveries.url, deliveries.receiver, attempts as attempt, body,
      deliveries.created_at as "createdAt", deliveries.endpoint_id as "endpointId", secret, coalesce(retry = 'standard', false) as "retriesAnswers"
    ${sql.raw(PLAN_ANEW)}`
}

export type Attempt = {
  readonly seq: number
  readonly endpointId: string | null
  readonly number: number
  readonly at: Date
  readonly durationMs: number
  readonly httpStatus: number | null
  readonly answerHead: string | null
  readonly error: string | null
}

export type Outcome = { readonly state: 'delivered' | 'failed' } | { readonly state: 'queued'; readonly retrySeconds: number }

/**
 * Logs the attempt and its outcome. A retry delays all later deliveries of the lane. A lapsed claim that no other sender took is `queued`
 * with the same number of attempts: its outcome counts.
 */
export async function recordAttempt(db: Db, attempt: Attempt, outcome: Outcome): Promise<void> {
  const retrySeconds = outcome.state === 'queued' ? outcome.retrySeconds : null
  const received = outcome.state === 'delivered'
  await sql`
    with logged as (
      insert into delivery_attempts (delivery_seq, number, at, duration_ms, http_status, answer_head, error)
      values (${attempt.seq}, ${attempt.number}, ${attempt.at}, ${attempt.durationMs}, ${attempt.httpStatus}, ${attempt.answerHead}, ${attempt.error})
      on conflict do nothing
    ), finished as (
      update deliveries set state = ${outcome.state}, claimed_until = null, last_status = ${attempt.httpStatus}, last_error = ${attempt.error},
        finished_at = case when ${outcome.state} = 'queued' then null else now() end,
        due_at = case when ${outcome.state} = 'queued' then now() + make_interval(secs => ${retrySeconds ?? 0}) else due_at end
      where seq = ${attempt.seq} and state in ('sending', 'queued') and attempts = ${attempt.number}
      returning seq, bot_id, receiver, due_at, state
    ), health as (
      update webhook_endpoints set failing_since = case when ${received} then null else ${attempt.at}::timestamptz end
      where id = ${attempt.endpointId} and (failing_since is not null) = ${received}
    )
    update deliveries behind set due_at = finished.due_at from finished
    where finished.state = 'queued' and behind.bot_id = finished.bot_id and behind.receiver = finished.receiver
      and behind.seq > finished.seq and behind.state = 'queued'`.execute(db)
}

/** Requeues deliveries whose sender died. */
export async function releaseLapsed(db: Db): Promise<void> {
  await sql`update deliveries set state = 'queued', claimed_until = null where state = 'sending' and claimed_until < now()`.execute(db)
}
