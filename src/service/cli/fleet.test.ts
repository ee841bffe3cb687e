import { expect, test } from 'vitest'
import type { FleetNode } from '../db/fleet/nodes.ts'
import { asJson, asText, type FleetReport } from './fleet.ts'

const at = new Date('2026-11-16T12:00:00Z')
const before = (seconds: number): Date => new Date(at.getTime() - seconds * 1000)
const none = { count: 0, oldestSeconds: 0 }

const node: FleetNode = {
  id: 'node_1',
  address: 'http://10.0.0.7:4000',
  seats: 8,
  freeSeats: 3,
  roles: ['fleet', 'media'],
  draining: false,
  version: '0.2.0',
  startedAt: before(7_300),
  isAlive: true,
  aliveUntil: before(-7),
}
const gone: FleetNode = { ...node, id: 'node_2', isAlive: false, aliveUntil: before(92), version: '', freeSeats: 8 }
const report: FleetReport = {
  nodes: [node, gone],
  queues: {
    nodes: 1,
    bots: { count: 3, oldestSeconds: 130 },
    recordings: none,
    transcriptions: none,
    workspaces: [{ workspace: 'wsp_1', name: 'default', bots: 3, oldestSeconds: 130 }],
    deliveries: { ...none, count: 1, overdueSeconds: 0 },
  },
  at,
}

test('shows nodes, seats of live nodes, and who waits', () => {
  expect(asText(report)).toBe(`NODE    ADDRESS               VERSION  ROLES        STATE  SEATS  FREE  UP   RENEWED
node_1  http://10.0.0.7:4000  0.2.0    fleet,media  alive  8      3     2 h  1 s ago
node_2  http://10.0.0.7:4000  -        fleet,media  gone   8      8     2 h  100 s ago

1 node, 8 seats, 3 free
3 bots waiting for a seat, the first for 2 min

WORKSPACE  NAME     WAITING  OLDEST
wsp_1      default  3        2 min

Waiting after the call: 0 recordings, 0 transcriptions, 1 webhook
`)
})

test('says that no bot waits', () => {
  const text = asText({ ...report, queues: { ...report.queues, bots: none, workspaces: [] } })
  expect(text).toContain('\nNo bot waits for a seat\nWaiting after the call')
})

test('prints the same figures as JSON', () => {
  expect(asJson(report)).toMatchObject({
    nodes: [
      { node_id: 'node_1', state: 'alive', renewed_at: '2026-11-16T11:59:59.000Z', free_seats: 3 },
      { node_id: 'node_2', state: 'gone' },
    ],
    seats: 8,
    free_seats: 3,
    queue: { count: 3, oldest_seconds: 130 },
    workspaces: [{ workspace_id: 'wsp_1', name: 'default', waiting: 3, oldest_seconds: 130 }],
  })
})
