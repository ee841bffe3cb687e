// Failed attempts to sign in, counted across all nodes.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { firstRow, firstValue } from '../query.ts'

/** The window in which an attempt is counted. */
export type CountedAttempt = { readonly name: string; readonly until: Date }

type Attempt = CountedAttempt & { readonly most: number; readonly at: Date }

/**
 * Counts an attempt before it is made. Returns null without counting if the window has `most` already. One statement checks and
 * counts, so parallel attempts cannot exceed the limit. The first attempt opens a window until `until`, later ones count in it.
 */
export async function countAttempt(db: Db, { name, most, at, until }: Attempt): Promise<CountedAttempt | null> {
  const counted = await firstRow<CountedAttempt & { readonly count: number }>(db)`
    insert into failed_sign_ins as open (name, count, until) values (${name}, 1, ${until})
    on conflict (name) do update set
      count = case when open.until > ${at} then open.count + 1 else 1 end,
      until = case when open.until > ${at} then open.until else excluded.until end
    where open.until <= ${at} or open.count < ${most}
    returning name, count, until`
  if (counted?.count === 1) await sql`delete from failed_sign_ins where until <= ${at}`.execute(db)
  return counted
}

/** Takes an attempt back that did not fail. A window that was opened since then keeps its count. */
export async function uncountAttempt(db: Db, { name, until }: CountedAttempt): Promise<void> {
  await sql`update failed_sign_ins set count = count - 1 where name = ${name} and until = ${until} and count > 0`.execute(db)
}

/** The end of the open window of this name, or null if it is over. */
export function endOfWindow(db: Db, name: string, at: Date): Promise<Date | null> {
  return firstValue<Date>(db)`select until from failed_sign_ins where name = ${name} and until > ${at}`
}
