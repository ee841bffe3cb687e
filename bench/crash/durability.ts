// Checks that the service kept every acknowledged bot and delivered every event of the outbox in order.
import type { Receipts } from './load.ts'
import type { Subject } from './service-under-test.ts'
import { holdsWithin } from './wait.ts'

/** A delivery may have to wait for a lease and two retry pauses. */
const DRAINED_WITHIN_MS = 90_000

export type Durability = Readonly<Record<'acknowledged' | 'lost' | 'events' | 'missing' | 'disordered' | 'repeated', number>>

type Outbox = { readonly bot: string; readonly events: readonly string[] }

/** A database that no longer answers has lost everything. */
export function durabilityOf(subject: Subject, acknowledged: readonly string[], receipts: Receipts): Promise<Durability> {
  return compareAll(subject, acknowledged, receipts).catch((error: unknown) => {
    console.error(error)
    const count = acknowledged.length
    return { acknowledged: count, lost: count, events: 0, missing: 0, disordered: 0, repeated: 0 }
  })
}

async function compareAll(subject: Subject, acknowledged: readonly string[], receipts: Receipts): Promise<Durability> {
  await holdsWithin(async () => (await countWaiting(subject)) === 0, DRAINED_WITHIN_MS)
  const outbox = await subject.query<Outbox>(
    `select bot_id as bot, array_agg(event_id order by seq) as events from deliveries where bot_id = any($1) group by bot_id`,
    [acknowledged],
  )
  const stored = new Set(
    (await subject.query<{ id: string }>('select id from bots where id = any($1)', [acknowledged])).map(({ id }) => id),
  )
  const compared = outbox.map(({ bot, events }) => compareEvents(events, receipts.of(bot)))
  const sum = (key: keyof ReturnType<typeof compareEvents>) => compared.reduce((total, it) => total + it[key], 0)
  return {
    acknowledged: acknowledged.length,
    // The first event is written in the transaction of its bot.
    lost: acknowledged.filter((id) => !stored.has(id) || !outbox.some(({ bot }) => bot === id)).length,
    events: sum('events'),
    missing: sum('missing'),
    disordered: sum('disordered'),
    repeated: sum('repeated'),
  }
}

/** An event may arrive twice with the same id. Its first arrival counts. */
function compareEvents(events: readonly string[], arrived: readonly string[]) {
  const distinct = [...new Set(arrived)]
  const known = distinct.filter((id) => events.includes(id))
  return {
    events: events.length,
    missing: events.length - known.length,
    disordered: String(known) === String(events.filter((id) => known.includes(id))) ? 0 : 1,
    repeated: arrived.length - distinct.length,
  }
}

async function countWaiting(subject: Subject): Promise<number> {
  const [row] = await subject.query<{ count: number }>(`select count(*)::int as count from deliveries where state in ('queued', 'sending')`)
  return row?.count ?? 0
}
