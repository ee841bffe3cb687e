// Classifies errors that mean "the database does not answer": lost connections, timeouts, and states in which PostgreSQL refuses to work or to write.
import pg from 'pg'

/** The connection could not be made, broke, or timed out. */
export class DatabaseUnreachable extends Error {
  constructor(cause: unknown) {
    super('The database cannot be reached', { cause })
    this.name = 'DatabaseUnreachable'
  }
}

/** SQLSTATE of an error from PostgreSQL, such as 23505 for a violated unique index. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Classes and codes that pass by themselves, or when an operator acts. */
const REFUSALS: readonly RegExp[] = [
  /^08/, // connection exception
  /^25P03$/, // idle in transaction for too long
  /^25006$/, // read-only: a standby that is not promoted yet, or an operator's setting
  /^53[0234]00$/, // out of resources, memory, connections, or a configured limit
  /^57014$/, // statement_timeout
  /^57P0[1-5]$/, // going down, crashed, starting, dropped, idle for too long
]

export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error)
  return error instanceof DatabaseUnreachable || (state !== undefined && REFUSALS.some((refusal) => refusal.test(state)))
}

/** The server answers, but changes nothing. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/** The server has no free connection, but works. */
export function isOutOfConnections(error: unknown): boolean {
  return sqlState(error instanceof DatabaseUnreachable ? error.cause : error) === '53300'
}

export function isDatabaseDiskFull(error: unknown): boolean {
  return sqlState(error) === '53100'
}

/** The server closes the connection after an error of this severity. */
export function endsConnection(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.severity === 'FATAL' || error.severity === 'PANIC')
}

/** Wraps an error of the driver or the network as DatabaseUnreachable. An error from PostgreSQL stays as it is. */
export function asUnreachable(error: unknown): unknown {
  return error instanceof pg.DatabaseError || error instanceof DatabaseUnreachable ? error : new DatabaseUnreachable(error)
}
