// One real PostgreSQL for all tests: the embedded one, with a template that has every table.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openPool } from '../src/service/db/database.ts'
import { migrate } from '../src/service/db/migrate.ts'
import { startEmbeddedPostgres } from '../src/service/postgres/embedded-postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  }
}

/** No test kills this server, so nothing is gained by waiting for the disk. */
const NOT_DURABLE = { max_connections: '300', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-test-'))
  const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), settings: NOT_DURABLE })
  const db = openPool({ connection: postgres.connection, connections: 1, onError: () => undefined })
  await migrate(db)
  await db.destroy()
  project.provide('postgres', postgres.connection)
  return async () => {
    await postgres.stop()
    await rm(directory, { recursive: true })
  }
}
