// When the next row of a queue is due, as a cheap question before a claim: most looks of an idle node find nothing.
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** The due time of a queue and its rows. Each has an index that begins with the due time. */
const QUEUES = {
  launches: { at: sql`launch_at`, rows: sql`bots where node_id is null and launch_at is not null` },
  recordings: { at: sql`process_at`, rows: sql`bots where process_at is not null` },
  transcriptions: { at: sql`due_at`, rows: sql`transcriptions where due_at is not null` },
  deliveries: { at: sql`due_at`, rows: sql`deliveries where state = 'queued'` },
} as const

/** A parameter, because statements without one are not prepared. */
const MS_PER_SECOND = 1_000

/** In ms, by the clock of the database. Not positive: a row is due, which may be claimable or not. Infinite: the queue is empty. */
export async function untilDue(db: Db, queue: keyof typeof QUEUES): Promise<number> {
  const { at, rows: queued } = QUEUES[queue]
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from ${at} - now())::float8 * ${MS_PER_SECOND} as ms from ${queued} order by ${at} limit 1`.execute(db)
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY
}
