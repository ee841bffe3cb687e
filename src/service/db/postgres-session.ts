// The one connection that stands for "this service owns the embedded database": it holds a lock as long as the service lives.
import { setTimeout as delay } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import { SUPERUSER } from './postgres-cluster.ts'
import type { Postmaster } from './postgres-postmaster.ts'

/** Any number that nothing else locks in the maintenance database. */
const OWNER_LOCK = 7_364_747
/** A killed service's lock ends with its connection, which the server may notice a moment later. */
const LOCK_PATIENCE_MS = 3_000
const LOOK_AGAIN_MS = 50
const CONNECT_TIMEOUT_MS = 5_000

/** Socket not there yet, nobody listening yet, server starting or going down. */
const NOT_NOW = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'])

/** A session with this cluster's server, or undefined when it cannot take one just now. */
export async function connectTo({ socketDirectory, port }: Postmaster, cluster: string): Promise<Client | undefined> {
  const session = new Client({
    ...{ host: socketDirectory, port, user: SUPERUSER, database: 'postgres', ssl: false },
    application_name: 'emissary owner',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Without a listener a dropped connection would end the process; whoever owns the session adds what to do.
  session.on('error', () => undefined)
  try {
    await session.connect()
    const answer = await session.query<{ data_directory: string }>('SHOW data_directory')
    if (answer.rows[0]?.data_directory === cluster) return session
  } catch (error) {
    if (isPassing(error)) return undefined
    throw error
  }
  await session.end()
  throw new Error(`The socket in ${socketDirectory} belongs to another database than ${cluster}.`)
}

/** The client gives no code when the server closes the connection without a word. */
function isPassing(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === undefined || NOT_NOW.has(code)
}

/** `ours` from now on; `taken` by another live service; or the server was `going` down under a service that stops. */
export async function takeOwnership(session: Client): Promise<'ours' | 'taken' | 'going'> {
  const deadline = Date.now() + LOCK_PATIENCE_MS
  try {
    for (;;) {
      const answer = await session.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [OWNER_LOCK])
      if (answer.rows[0]?.taken) return 'ours'
      if (Date.now() > deadline) return 'taken'
      await delay(LOOK_AGAIN_MS)
    }
  } catch (error) {
    if (isPassing(error)) return 'going'
    throw error
  }
}

export async function createDatabase(session: Client, name: string): Promise<void> {
  const answer = await session.query('SELECT FROM pg_database WHERE datname = $1', [name])
  if (answer.rowCount === 0) await session.query(`CREATE DATABASE ${escapeIdentifier(name)}`)
}

/** Calls back once, with the cause, when the server ends the session. */
export function whenLost(session: Client, lost: (error: Error) => void): void {
  let cause: Error | undefined
  session.on('error', (error) => {
    cause ??= error
  })
  session.once('end', () => lost(cause ?? new Error('The connection to the database ended.')))
}
