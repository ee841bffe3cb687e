// The queries of the `list` bench, and PostgreSQL's plans for the service's own statement.
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { listBots } from '../../src/service/db/fleet/bot-list.ts'
import type { Tables } from '../../src/service/db/tables.ts'
import { ATTRIBUTES, type Tenant } from './rows.ts'

export type Question = {
  readonly kind: string
  readonly tenant: Tenant
  readonly filters: readonly (readonly [name: string, text: string])[]
  /** True: of the workspace with the most bots. */
  readonly largest: boolean
}

export type Draw = (random: () => number) => Question['filters']

const drawn = (name: keyof typeof ATTRIBUTES, random: () => number) => {
  const { values, valueAt } = ATTRIBUTES[name]
  return [name, String(valueAt(Math.floor(random() * values)))] as const
}

export const KINDS: Readonly<Record<string, Draw>> = {
  'common + common': (random) => [drawn('tag', random), drawn('enabled', random)],
  'middling + common': (random) => [drawn('count', random), drawn('enabled', random)],
  'rare + common': (random) => [drawn('customer', random), drawn('tag', random)],
  'no match': (random) => [['tag', `absent-${Math.floor(random() * 1_000)}`], drawn('enabled', random)],
}

export function pathOf({ filters }: Question, cursor: string | null): string {
  const query = new URLSearchParams(filters.map(([name, text]): [string, string] => [`custom_attr[${name}]`, text]))
  if (cursor) query.set('cursor', cursor)
  return `/api/v1/bots?${query}`
}

type Statement = { readonly text: string; readonly values: unknown[] }

/** Lets the service's own code build the statement, and captures it instead of sending it. */
async function statementFor({ tenant, filters }: Question, limit = 50): Promise<Statement> {
  const seen: Statement[] = []
  const client = {
    query: async (text: string, values: readonly unknown[]) => {
      seen.push({ text, values: [...values] })
      return { command: 'SELECT', rowCount: 0, rows: [] }
    },
    release: () => undefined,
  }
  const dialect = new PostgresDialect({ pool: { connect: async () => client, end: async () => undefined } as unknown as pg.Pool })
  await listBots(new Kysely<Tables>({ dialect }), tenant.id, { attributes: filters, limit })
  // An earlier statement chooses the attribute to walk along.
  const statement = seen.at(-1)
  if (!statement) throw new Error('bench: the service sent no statement for a list')
  return statement
}

/** The custom plan, and the generic plan of a statement that has run often. */
export async function plansOf(db: pg.Pool, question: Question): Promise<string> {
  const { text, values } = await statementFor(question)
  const client = await db.connect()
  try {
    const [custom, generic] = [[], []] as [string[], string[]]
    for (const [mode, lines] of [
      ['force_custom_plan', custom],
      ['force_generic_plan', generic],
    ] as const) {
      await client.query(`set plan_cache_mode = ${mode}`)
      await client.query(`prepare question as ${text}`)
      const given = values.map((value) => client.escapeLiteral(literal(value))).join(', ')
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) execute question(${given})`)
      lines.push(...rows.map((row) => row['QUERY PLAN']))
      await client.query('deallocate question')
    }
    await client.query('reset plan_cache_mode')
    return [`--- ${question.kind}: values known`, ...custom, `--- ${question.kind}: kept plan`, ...generic].join('\n')
  } finally {
    client.release()
  }
}

/** Milliseconds of the statement when PostgreSQL may use no index. */
export async function withoutIndexes(db: pg.Pool, question: Question): Promise<number> {
  const { text, values } = await statementFor(question)
  const client = await db.connect()
  try {
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan']) await client.query(`set enable_${way} = off`)
    const startedAt = performance.now()
    await client.query({ text, values })
    const tookMs = performance.now() - startedAt
    for (const way of ['indexscan', 'indexonlyscan', 'bitmapscan']) await client.query(`reset enable_${way}`)
    return tookMs
  } finally {
    client.release()
  }
}

function literal(value: unknown): string {
  return Array.isArray(value) ? `{${value.map((term) => `"${term}"`).join(',')}}` : String(value)
}
