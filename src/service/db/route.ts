// Finds out how statements reach the server: directly, or through a connection pooler and what it loses on the way.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type Address, DIRECT, idleLimitMs, type Limits, openClient, type Route } from './database.ts'
import { asUnreachable, isUnreachable, sqlState } from './unreachable.ts'

export type ServerFacts = {
  /** Without start-up parameters if the pooler refuses them. */
  readonly sendsLimits: boolean
  readonly version: string
  readonly database: string
  readonly isPooled: boolean
  /** The time limit of statements that holds on the server; 0: none. */
  readonly statementMs: number
}

/** PgBouncer refuses start-up parameters that `ignore_startup_parameters` does not name. */
const REFUSAL = /unsupported startup parameter/
/** The name is unknown, or known already, on a server connection that another client had before. */
const LOST: readonly unknown[] = ['26000', '42P05']
const HELD_SERVER_CONNECTIONS = 4

export const LOSES_PREPARED = 'A connection pooler at DATABASE_URL loses prepared statements'
export const KEEP_PREPARED =
  'Set DATABASE_PREPARED=off, or let the pooler keep them (PgBouncer 1.21 or newer: max_prepared_statements), or use its session mode.'

/** Throws DatabaseUnreachable if the server does not answer. */
export async function examineServer(address: Address, limits: Limits): Promise<ServerFacts> {
  const [client, sendsLimits] = await connect(address, limits)
  try {
    const { rows } = await client.query<Omit<ServerFacts, 'sendsLimits' | 'isPooled'> & { pid: number }>(
      `select pg_backend_pid() as pid, current_setting('server_version') as version, current_database() as database,
        (select setting::int from pg_settings where name = 'statement_timeout') as "statementMs"`,
    )
    const [facts] = rows
    if (!facts) throw new Error('The server did not describe itself')
    const { pid, ...rest } = facts
    // A pooler gives each client a cancel key of its own, which names no process of the server.
    return { ...rest, sendsLimits, isPooled: pid !== (client as Keyed).processID }
  } finally {
    await client.end()
  }
}

/** The field of pg's client that its types lack. */
type Keyed = pg.Client & { readonly processID: number | null }

async function connect(address: Address, limits: Limits): Promise<readonly [client: pg.Client, sendsLimits: boolean]> {
  const open = (route: Route) => openClient({ ...address, route }, limits)
  try {
    return [await open(DIRECT), true]
  } catch (error) {
    if (!(error instanceof Error && REFUSAL.test(error.message))) throw asUnreachable(error)
    return [await open({ ...DIRECT, sendsLimits: false }), false]
  }
}

/** A pool whose connections are all taken shows nothing. A start does not hold more of them for long. */
const FIND_OUT: Limits = { connectMs: 2_000, statementMs: 2_000 }

/**
 * Prepares a statement, occupies the server connection that it was prepared on, and sends it again. A pooler that shares server connections
 * must then use another one, and either prepares the statement there or loses it. Null: the pool was too busy to find out.
 */
export async function keepsPrepared(address: Address, { sendsLimits }: Pick<ServerFacts, 'sendsLimits'>): Promise<boolean | null> {
  const open = async (): Promise<pg.Client> => {
    const client = await openClient({ ...address, route: { prepares: true, sendsLimits } }, FIND_OUT)
    clients.push(client)
    return client
  }
  const clients: pg.Client[] = []
  try {
    const asking = await open()
    const statement = { name: randomUUID(), text: 'select pg_backend_pid() as pid' }
    const ask = async () => (await asking.query<{ pid: number }>(statement)).rows[0]?.pid
    const preparedOn = await ask()
    for (let held = 0; held < HELD_SERVER_CONNECTIONS; held += 1) {
      const holding = await open()
      await holding.query('begin; select 1')
      if ((await ask()) !== preparedOn) return true
    }
    // In session mode the client keeps its server connection.
    return true
  } catch (error) {
    if (LOST.includes(sqlState(error))) return false
    if (isUnreachable(asUnreachable(error))) return null
    throw error
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** SQL that gives the role the limits that each connection otherwise asks for. Every role may set its own. */
export function roleLimits({ database }: Pick<ServerFacts, 'database'>, statementMs: number): readonly string[] {
  const values = { statement_timeout: statementMs, idle_in_transaction_session_timeout: idleLimitMs(statementMs) }
  const role = `alter role current_user in database ${pg.escapeIdentifier(database)}`
  return Object.entries(values).map(([name, ms]) => `${role} set ${name} = ${ms}`)
}

export async function setRoleLimits(address: Address, facts: ServerFacts, limits: Limits): Promise<void> {
  const client = await openClient({ ...address, route: { ...DIRECT, sendsLimits: facts.sendsLimits } }, limits)
  try {
    for (const statement of roleLimits(facts, limits.statementMs)) await client.query(statement)
  } finally {
    await client.end()
  }
}
