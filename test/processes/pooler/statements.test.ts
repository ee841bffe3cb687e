// Statements of several processes that share the server connections of PgBouncer in transaction mode.
import { spawn } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'
import { startPgBouncer } from '../../helpers/service/pgbouncer.ts'

const MODULE = new URL('../../../src/service/db/database.ts', import.meta.url).href

/** A process that sends texts of its own, each with a parameter, and compares each answer. Prints how many were right, wrong or failed. */
const PROCESS = `
  const [url, name] = process.argv.slice(1)
  const { openPool } = await import('${MODULE}')
  const { sql } = await import('${new URL('../../../node_modules/kysely/dist/index.js', import.meta.url).href}')
  const db = openPool({ connection: { url }, connections: 4, onError: () => undefined })
  const seen = { right: 0, wrong: 0, failed: 0 }
  const ask = async (number) => {
    const text = name + '-' + (number % 5)
    try {
      const { rows } = await sql\`select \${sql.lit(text)} as text, \${number}::int as number\`.execute(db)
      seen[rows[0]?.text === text && rows[0].number === number ? 'right' : 'wrong'] += 1
    } catch {
      seen.failed += 1
    }
  }
  for (let round = 0; round < 50; round += 1) await Promise.all([0, 1, 2, 3].map((lane) => ask(round * 4 + lane)))
  await db.destroy()
  console.log(JSON.stringify(seen))
`

type Seen = { readonly right: number; readonly wrong: number; readonly failed: number }

async function send(url: string, name: string): Promise<Seen> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROCESS, url, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  return (await json(child.stdout)) as Seen
}

const database = databaseForFile()
const pooler = openForFile(() =>
  startPgBouncer(database.url, {
    pool_mode: 'transaction',
    default_pool_size: 3,
    ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout',
  }),
)

test('never answers a statement with that of another process', async () => {
  const seen = await Promise.all(['first', 'second'].map((name) => send(pooler.url, name)))
  expect(seen.map(({ wrong }) => wrong)).toEqual([0, 0])
})
