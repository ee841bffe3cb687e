// emissary fleet: shows the nodes, their seats and the queues of a running fleet, from its database.
import { defineCommand } from 'citty'
import type { Db } from '../db/database.ts'
import { listNodes } from '../db/nodes.ts'
import { readQueueFigures } from '../db/queue-figures.ts'
import { withRunningDatabase } from './database.ts'
import { asJson, asText, type FleetReport } from './fleet-report.ts'

export const fleet = defineCommand({
  meta: { name: 'fleet', description: 'Show the nodes, their seats and the queues. Reads only.' },
  args: { json: { type: 'boolean', default: false, description: 'Print one JSON object.' } },
  run: ({ args }) =>
    withRunningDatabase(async (db) => {
      const report = await read(db)
      process.stdout.write(args.json ? `${JSON.stringify(asJson(report))}\n` : asText(report))
    }),
})

async function read(db: Db): Promise<FleetReport> {
  const [nodes, queues] = await Promise.all([listNodes(db), readQueueFigures(db)])
  return { nodes, queues, at: new Date() }
}
