// Template tags that send a statement and take what they need of its answer: firstRow<Usage>(db)`select …`.
import { sql } from 'kysely'
import type { Db } from './database.ts'

type Tag<Answer> = (text: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Answer>

export function rowsOf<Row>(db: Db): Tag<Row[]> {
  return async (text, ...values) => (await sql<Row>(text, ...values).execute(db)).rows
}

/** Null: there is none. */
export function firstRow<Row>(db: Db): Tag<Row | null> {
  return async (text, ...values) => (await rowsOf<Row>(db)(text, ...values))[0] ?? null
}

/** The only column of the first row. Null: there is no row. */
export function firstValue<Value>(db: Db): Tag<Value | null> {
  return async (text, ...values) => {
    const [value] = Object.values((await rowsOf<Record<string, Value>>(db)(text, ...values))[0] ?? {})
    return value ?? null
  }
}

/** For statements that always return a row, such as a count. */
export function onlyRow<Row>(db: Db): Tag<Row> {
  return async (text, ...values) => {
    const row = await firstRow<Row>(db)(text, ...values)
    if (row === null) throw new Error('A statement that always returns a row returned none')
    return row
  }
}

/** True if a row was found or, with `returning`, changed. */
export function hasRow(db: Db): Tag<boolean> {
  return async (text, ...values) => (await rowsOf(db)(text, ...values)).length > 0
}

/** The column `id` of all rows. */
export function idsOf<Id extends string = string>(db: Db): Tag<Id[]> {
  return async (text, ...values) => (await rowsOf<{ id: Id }>(db)(text, ...values)).map(({ id }) => id)
}
