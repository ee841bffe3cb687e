// Opens the configured database, or that of a running service, for a command and always closes it.
import { mkdir } from 'node:fs/promises'
import { createLog } from '../../kit/log.ts'
import { type Stops, stopAll } from '../../kit/stop-all.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Connection, Db } from '../db/database.ts'
import { isUnreachable, sqlState } from '../db/unreachable.ts'
import { connectToWhole, openDatabase, openRunningDatabase, type WholeUse } from '../open-database.ts'
import { complain, failWith, say, sentenceOf } from './terminal.ts'

const STOP_WITHIN_MS = 30_000
/** The SQL states of an undefined table and an undefined column. */
const UNDEFINED: readonly unknown[] = ['42P01', '42703']

export async function withDatabase(work: (db: Db, config: Config) => Promise<void>): Promise<void> {
  const stops: Stops = []
  try {
    const config = loadConfig()
    const log = createLog({ level: config.LOG_LEVEL, pretty: false })
    const { db } = await openDatabase(config, { log, stops, onProgress: say })
    await work(db, config)
  } catch (error) {
    failWith(sentenceOf(error))
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
    const isOlder = UNDEFINED.includes(sqlState(error))
    failWith(isOlder ? 'The database has no tables of this version. Start this version once, or run emissary migrate.' : sentenceOf(error))
  } finally {
    await db?.destroy()
  }
}

/** For a command that copies everything. An embedded server that it starts is stopped. */
export async function withWholeDatabase(use: WholeUse, work: (connection: Connection, config: Config) => Promise<void>): Promise<void> {
  const stops: Stops = []
  try {
    const config = loadConfig()
    if (use === 'new') await mkdir(config.DATA_DIR, { recursive: true })
    await work(await connectToWhole(config, { stops, onProgress: say, use }), config)
  } catch (error) {
    failWith(sentenceOf(error))
  } finally {
    await stopAll(stops, STOP_WITHIN_MS, (problem) => complain(sentenceOf(problem)))
  }
}
