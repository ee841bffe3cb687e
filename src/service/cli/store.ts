// Opens the configured database for a command, and closes it whatever happens.
import { createLog } from '../../kit/log.ts'
import { type Config, loadConfig } from '../config.ts'
import type { Db } from '../db/database.ts'
import { openStore } from '../open-store.ts'
import { complain, say } from './terminal.ts'

export async function withStore(work: (db: Db, config: Config) => Promise<void>): Promise<void> {
  const stops: (() => Promise<unknown>)[] = []
  try {
    const config = loadConfig()
    const log = createLog({ level: config.LOG_LEVEL, pretty: false })
    const { db } = await openStore(config, { log, stops, onProgress: say })
    await work(db, config)
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  } finally {
    for (let last = stops.pop(); last; last = stops.pop()) await last()
  }
}
