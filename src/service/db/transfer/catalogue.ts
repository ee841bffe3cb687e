// The tables and sequences of a database, as its catalogue names them. No list of tables is kept by hand.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { onlyRow, rowsOf } from '../query.ts'

export type Table = { readonly name: string; readonly columns: readonly string[] }
export type Sequence = { readonly name: string; readonly value: number }

/** A new database has the table of migrations by its migrations. */
const MIGRATIONS = 'migrations'

/** Unlogged tables are left out: their rows may be lost at any time. */
export function listTables(db: Db): Promise<readonly Table[]> {
  return rowsOf<Table>(db)`
    select relname as name,
      array(select attname::text from pg_attribute
        where attrelid = it.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
    from pg_class as it
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p' and relname <> ${MIGRATIONS}
    order by relname collate "C"`
}

/**
 * Drops foreign keys and the indexes that are no constraints, runs the work, and makes them anew: at once they take a fraction of the time that
 * they take row by row, and tables can be filled in any order.
 */
export async function withoutIndexes(tx: Db, work: () => Promise<void>): Promise<void> {
  const dropped = await rowsOf<{ drop: string; make: string }>(tx)`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
    from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)
    union all
    select format('alter table %s drop constraint %I', conrelid::regclass, conname),
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace = current_schema()::regnamespace and contype = 'f'`
  for (const { drop } of dropped) await sql.raw(drop).execute(tx)
  await work()
  for (const { make } of dropped) await sql.raw(make).execute(tx)
}

/** Without those that were never used. */
export function listSequences(db: Db): Promise<readonly Sequence[]> {
  return rowsOf<Sequence>(db)`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename collate "C"`
}

export async function setSequence(tx: Db, { name, value }: Sequence): Promise<void> {
  await sql`select setval(quote_ident(${name})::regclass, ${value})`.execute(tx)
}

export async function hasTables(db: Db): Promise<boolean> {
  const { count } = await onlyRow<{ count: number }>(db)`
    select count(*) as count from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm')`
  return count > 0
}

/** Oldest first. Null: the database has no table of Emissary. */
export async function listMigrations(db: Db): Promise<readonly string[] | null> {
  const { there } = await onlyRow<{ there: boolean }>(db)`select to_regclass(${MIGRATIONS}) is not null as there`
  if (!there) return null
  return (await rowsOf<{ name: string }>(db)`select name from migrations order by name collate "C"`).map(({ name }) => name)
}
