// The connection that marks this service as the owner of the embedded database: it holds an advisory lock while the service lives.
import { setTimeout as delay } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import { SUPERUSER } from './cluster.ts'
import type { Postmaster } from './postmaster.ts'

/** An arbitrary number that no other lock of the maintenance database uses. */
const OWNER_LOCK = 7_364_747
/** A killed service's lock ends with its connection, which the server may notice a moment later. */
const LOCK_PATIENCE_MS = 3_000
const POLL_MS = 50
const CONNECT_TIMEOUT_MS = 5_000

/** The socket is missing, has no listener yet, or the server is starting or shutting down. */
const NOT_NOW = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P01', '57P03'])

/** A session with this cluster's server; undefined: it accepts none at the moment. */
export async function connectTo({ socketDirectory, port }: Postmaster, cluster: string): Promise<Client | undefined> {
  const session = new Client({
    host: socketDirectory,
    port,
    user: SUPERUSER,
    database: 'postgres',
    ssl: false,
    application_name: 'emissary owner',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Without a listener a dropped connection would end the process. `onSessionEnd` adds the reaction.
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

/** The client gives no code when the server closes the connection without a message. */
function isPassing(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === undefined || NOT_NOW.has(code)
}

/** `ours`: the lock is held. `taken`: another live service holds it. `going`: the server is shutting down. */
export async function takeOwnership(session: Client): Promise<'ours' | 'taken' | 'going'> {
  const deadline = Date.now() + LOCK_PATIENCE_MS
  try {
    for (;;) {
      const answer = await session.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [OWNER_LOCK])
      if (answer.rows[0]?.taken) return 'ours'
      if (Date.now() > deadline) return 'taken'
      await delay(POLL_MS)
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

/** Calls `lost` once, with the cause, when the session ends. */
export function onSessionEnd(session: Client, lost: (error: Error) => void): void {
  let cause: Error | undefined
  session.on('error', (error) => {
    cause ??= error
  })
  session.once('end', () => lost(cause ?? new Error('The connection to the database ended.')))
}
