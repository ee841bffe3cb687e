// Real connections of the simulation to PostgreSQL.
import pg from 'pg'
import type { Connection } from '../src/service/db/database.ts'

export type ConnectOptions = {
  readonly connection: Connection
  /** For worlds of thousands of bots: plans that fit the number of rows. Runs of one seed then differ. */
  readonly isLarge: boolean
}

/** Rows come in the same order in each run of a small world: the same plans, and no vacuum that moves rows meanwhile. */
const SAME_PLANS = 'plan_cache_mode=force_generic_plan'

const SETTINGS = [
  // A deadlock ends by the statement's limit on the virtual clock.
  'deadlock_timeout=1h',
  'synchronous_commit=off',
  'jit=off',
]

const INT8 = 20
const NUMERIC = 1700

export async function connect({ connection, isLarge }: ConnectOptions): Promise<pg.Client> {
  const client = new pg.Client({
    ...('url' in connection ? { connectionString: connection.url } : connection),
    // As in the pools of the service.
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text'),
    },
    options: [...SETTINGS, ...(isLarge ? [] : [SAME_PLANS])].map((setting) => `-c ${setting}`).join(' '),
  })
  await client.connect()
  return client
}

/** SQL gives the rows of `update … returning` no order, and PostgreSQL's depends on where their versions lie: here they are sorted. */
export function inOrder(answer: pg.QueryResult): pg.QueryResult {
  const key = answer.command === 'UPDATE' ? answer.fields[0]?.name : undefined
  if (key !== undefined) answer.rows.sort((a, b) => (a[key] < b[key] ? -1 : 1))
  return answer
}

export function pidOf(client: pg.Client): number {
  return (client as unknown as { readonly processID: number }).processID
}
