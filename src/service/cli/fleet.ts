// emissary fleet: shows the nodes, their seats and the queues of a running fleet, as tables or as JSON.
import { defineCommand } from 'citty'
import { counted } from '../../domain/counted.ts'
import { type FleetNode, listNodes } from '../db/fleet/nodes.ts'
import { type QueueFigures, readQueueFigures } from '../db/operations/queue-figures.ts'
import { LEASES } from '../leases.ts'
import { withRunningDatabase } from './database.ts'

export type FleetReport = { readonly nodes: readonly FleetNode[]; readonly queues: QueueFigures; readonly at: Date }

export const fleet = defineCommand({
  meta: { name: 'fleet', description: 'Show the nodes, their seats and the queues. Reads only.' },
  args: { json: { type: 'boolean', default: false, description: 'Print one JSON object.' } },
  run: ({ args }) =>
    withRunningDatabase(async (db) => {
      const [nodes, queues] = await Promise.all([listNodes(db), readQueueFigures(db)])
      const report = { nodes, queues, at: new Date() }
      process.stdout.write(args.json ? `${JSON.stringify(asJson(report))}\n` : asText(report))
    }),
})

export function asJson({ nodes, queues, at }: FleetReport) {
  const waiting = ({ count, oldestSeconds }: { count: number; oldestSeconds: number }) => ({ count, oldest_seconds: oldestSeconds })
  return {
    at: at.toISOString(),
    nodes: nodes.map((node) => ({
      node_id: node.id,
      address: node.address,
      version: node.version,
      roles: node.roles,
      state: stateOf(node),
      seats: node.seats,
      free_seats: node.freeSeats,
      started_at: node.startedAt.toISOString(),
      renewed_at: renewedAt(node).toISOString(),
    })),
    ...seatsOf(nodes),
    queue: waiting(queues.bots),
    workspaces: queues.workspaces.map(({ workspace, name, bots, oldestSeconds }) => ({
      workspace_id: workspace,
      name,
      waiting: bots,
      oldest_seconds: oldestSeconds,
    })),
    deliveries: { ...waiting(queues.deliveries), overdue_seconds: queues.deliveries.overdueSeconds },
    recordings: waiting(queues.recordings),
    transcriptions: waiting(queues.transcriptions),
  }
}

export function asText({ nodes, queues, at }: FleetReport): string {
  const ago = (moment: Date): string => duration((at.getTime() - moment.getTime()) / 1000)
  const rows = nodes.map((node) => [
    ...[node.id, node.address, node.version || '-', node.roles.join(','), stateOf(node)],
    ...[String(node.seats), String(node.freeSeats), ago(node.startedAt), `${ago(renewedAt(node))} ago`],
  ])
  const { seats, free_seats } = seatsOf(nodes)
  const alive = nodes.filter(({ isAlive }) => isAlive).length
  const { bots, workspaces, deliveries, recordings, transcriptions } = queues
  return [
    ...table(['NODE', 'ADDRESS', 'VERSION', 'ROLES', 'STATE', 'SEATS', 'FREE', 'UP', 'RENEWED'], rows),
    '',
    `${counted(alive, 'node')}, ${counted(seats, 'seat')}, ${free_seats} free`,
    bots.count === 0
      ? 'No bot waits for a seat'
      : `${counted(bots.count, 'bot')} waiting for a seat, the first for ${duration(bots.oldestSeconds)}`,
    ...(workspaces.length === 0 ? [] : ['', ...table(['WORKSPACE', 'NAME', 'WAITING', 'OLDEST'], workspaces.map(queueRow)), '']),
    [
      `Waiting after the call: ${counted(recordings.count, 'recording')}, ${counted(transcriptions.count, 'transcription')}, `,
      `${counted(deliveries.count, 'webhook')}`,
    ].join(''),
    '',
  ].join('\n')
}

function queueRow({ workspace, name, bots, oldestSeconds }: QueueFigures['workspaces'][number]): string[] {
  return [workspace, name, String(bots), duration(oldestSeconds)]
}

/** Seats of nodes that are gone do not count. */
function seatsOf(nodes: readonly FleetNode[]): { readonly seats: number; readonly free_seats: number } {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const sum = (valueIn: (node: FleetNode) => number) => alive.reduce((total, node) => total + valueIn(node), 0)
  return { seats: sum(({ seats }) => seats), free_seats: sum(({ freeSeats }) => freeSeats) }
}

function stateOf({ isAlive, draining }: FleetNode): 'alive' | 'draining' | 'gone' {
  if (!isAlive) return 'gone'
  return draining ? 'draining' : 'alive'
}

function renewedAt({ aliveUntil }: FleetNode): Date {
  return new Date(aliveUntil.getTime() - LEASES.node.seconds * 1000)
}

const UNITS = [
  { seconds: 86_400, name: 'd' },
  { seconds: 3_600, name: 'h' },
  { seconds: 60, name: 'min' },
] as const

/** In the largest unit of which there are two. */
function duration(seconds: number): string {
  const unit = UNITS.find((it) => seconds >= 2 * it.seconds) ?? { seconds: 1, name: 's' }
  return `${Math.max(0, Math.floor(seconds / unit.seconds))} ${unit.name}`
}

/** Columns are as wide as their widest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  return [head, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
