// Counts failed password attempts across all nodes.
import { sql } from 'kysely'
import type { Db } from './database.ts'

export type FailureWindow = { readonly name: string; readonly count: number; readonly until: Date }

/** The open windows of these names. */
export async function openWindows(db: Db, names: readonly string[], at: Date): Promise<FailureWindow[]> {
  return db.selectFrom('failed_sign_ins').selectAll().where('name', 'in', names).where('until', '>', at).execute()
}

/** The first failure opens a window, later ones count in it. Deletes windows that are over. */
export async function countFailure(db: Db, { name, at, until }: { name: string; at: Date; until: Date }): Promise<void> {
  await sql`insert into failed_sign_ins as open (name, count, until) values (${name}, 1, ${until})
    on conflict (name) do update set
      count = case when open.until > ${at} then open.count + 1 else 1 end,
      until = case when open.until > ${at} then open.until else excluded.until end`.execute(db)
  await db.deleteFrom('failed_sign_ins').where('until', '<=', at).execute()
}
