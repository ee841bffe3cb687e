// emissary fleet: shows the nodes, their seats and the queues of a running fleet, from its database.
import { defineCommand } from 'citty'
import { loadConfig } from '../config.ts'
import type { Db } from '../db/database.ts'
import { listNodes } from '../db/nodes.ts'
import { readQueueFigures } from '../db/queue-figures.ts'
import { sqlState } from '../db/unreachable.ts'
import { openRunningDatabase } from '../open-database.ts'
import { asJson, asText, type FleetReport } from './fleet-report.ts'
import { complain, sentenceOf } from './terminal.ts'

export const fleet = defineCommand({
  meta: { name: 'fleet', description: 'Show the nodes, their seats and the queues. Reads only.' },
  args: { json: { type: 'boolean', default: false, description: 'Print one JSON object.' } },
  async run({ args }) {
    let db: Db | null = null
    try {
      db = await openRunningDatabase(loadConfig())
      const report = await read(db)
      process.stdout.write(args.json ? `${JSON.stringify(asJson(report))}\n` : asText(report))
    } catch (error) {
      complain(
        isOlder(error)
          ? 'The database has no tables of this version. Start this version once, or run emissary migrate.'
          : sentenceOf(error),
      )
      process.exitCode = 1
    } finally {
      await db?.destroy()
    }
  },
})

async function read(db: Db): Promise<FleetReport> {
  const [nodes, queues] = await Promise.all([listNodes(db), readQueueFigures(db)])
  return { nodes, queues, at: new Date() }
}

/** Undefined table or column. */
function isOlder(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlState(error) ?? '')
}
