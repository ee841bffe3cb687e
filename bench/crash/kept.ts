// What a service that was struck must have kept: every bot it acknowledged, and every event of the outbox, in order, at its receiver.
import type { Receipts } from './load.ts'
import type { Subject } from './subject.ts'
import { cameTrue } from './waiting.ts'

/** A delivery may have to wait for a lease and for two pauses between tries. */
const DRAINED_WITHIN_MS = 90_000

export type Kept = Readonly<Record<'acknowledged' | 'lost' | 'events' | 'missing' | 'disordered' | 'repeated', number>>

type Outbox = { readonly bot: string; readonly events: readonly string[] }

/** A database that does not answer any more has lost everything. */
export function keptOf(subject: Subject, acknowledged: readonly string[], receipts: Receipts): Promise<Kept> {
  return judgeAll(subject, acknowledged, receipts).catch((error: unknown) => {
    console.error(error)
    const count = acknowledged.length
    return { acknowledged: count, lost: count, events: 0, missing: 0, disordered: 0, repeated: 0 }
  })
}

async function judgeAll(subject: Subject, acknowledged: readonly string[], receipts: Receipts): Promise<Kept> {
  await cameTrue(async () => (await countWaiting(subject)) === 0, DRAINED_WITHIN_MS)
  const outbox = await subject.query<Outbox>(
    `select bot_id as bot, array_agg(event_id order by seq) as events from deliveries where bot_id = any($1) group by bot_id`,
    [acknowledged],
  )
  const stored = new Set(
    (await subject.query<{ id: string }>('select id from bots where id = any($1)', [acknowledged])).map(({ id }) => id),
  )
  const judged = outbox.map(({ bot, events }) => judge(events, receipts.of(bot)))
  const sum = (key: keyof ReturnType<typeof judge>) => judged.reduce((total, it) => total + it[key], 0)
  return {
    acknowledged: acknowledged.length,
    // The first event is written with the bot itself.
    lost: acknowledged.filter((id) => !stored.has(id) || !outbox.some(({ bot }) => bot === id)).length,
    ...{ events: sum('events'), missing: sum('missing'), disordered: sum('disordered'), repeated: sum('repeated') },
  }
}

/** An event may come twice, with the same id: its first arrival is what counts. */
function judge(events: readonly string[], arrived: readonly string[]) {
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
