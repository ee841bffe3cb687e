// Opens the configured database, or that of a running service, for a command and always closes it.
import { createLog } from '../../kit/log.ts'
import { type Stops, stopAll } from '../../kit/stop-all.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Db } from '../db/database.ts'
import { isUnreachable, sqlState } from '../db/unreachable.ts'
import { openDatabase, openRunningDatabase } from '../open-database.ts'
import { complain, say, sentenceOf } from './terminal.ts'

const STOP_WITHIN_MS = 30_000

export async function withDatabase(work: (db: Db, config: Config) => Promise<void>): Promise<void> {
  const stops: Stops = []
  try {
    const config = loadConfig()
    const log = createLog({ level: config.LOG_LEVEL, pretty: false })
    const { db } = await openDatabase(config, { log, stops, onProgress: say })
    await work(db, config)
  } catch (error) {
    complain(sentenceOf(error))
    process.exitCode = 1
  } finally {
    await stopAll(stops, STOP_WITHIN_MS, (problem) => {
      if (!isUnreachable(problem)) complain(sentenceOf(problem))
    })
  }
}

/** For a command beside a running service: nothing is started or migrated. */
export async function withRunningDatabase(work: (db: Db, config: Config) => Promise<void>): Promise<void> {
  let db: Db | null = null
  try {
    const config = loadConfig()
    db = await openRunningDatabase(config)
    await work(db, config)
  } catch (error) {
    complain(
      isOlder(error) ? 'The database has no tables of this version. Start this version once, or run emissary migrate.' : sentenceOf(error),
    )
    process.exitCode = 1
  } finally {
    await db?.destroy()
  }
}

/** Undefined table or column. */
function isOlder(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlState(error) ?? '')
}
