import { expect, test } from 'vitest'
import { createLog } from '../../kit/log.ts'
import { openPool } from '../db/database.ts'
import { createMetrics, formatMetrics } from './metrics.ts'
import { addQueueGauges } from './queue-gauges.ts'

test('reports an unreachable database, and omits the queues instead of showing old figures', async () => {
  const db = openPool({ connection: { url: 'postgres://nobody@127.0.0.1:9/none' }, connections: 1, onError: () => undefined })
  const metrics = createMetrics()
  addQueueGauges(metrics, { db, log: createLog({ level: 'silent', pretty: false }), seats: () => ({ seats: 8, freeSeats: 3 }) })
  const { text } = await formatMetrics(metrics, '')
  expect(text).toContain('\nemissary_database_up 0\n')
  expect(text).toContain('\nemissary_seats_free 3\n')
  expect(text).not.toMatch(/^emissary_queue_bots /m)
  await db.destroy()
})
