// Runs one scenario from its first request until every bot has ended, and says what went wrong.
import type { BotOrders } from '../src/domain/protocol.ts'
import { type Checks, checkClaim, checkEnd, checkSentAway, findOpen, isClaim } from './checks.ts'
import { planRequests } from './client.ts'
import { planFaults } from './faults.ts'
import { Meetings } from './meetings.ts'
import { type NodeTools, SimulatedNode } from './node.ts'
import { NodeNetwork } from './node-network.ts'
import type { PlantedBug } from './planted-bugs.ts'
import { Receiver } from './receiver.ts'
import { calmAfterMs, type Scenario } from './scenario.ts'
import type { Server } from './server.ts'
import { realMs, seedIds } from './virtual-time.ts'
import { Machine, World } from './world.ts'

/** Webhooks that were not received are sent again after minutes. */
const CALM_MS = 400_000
const LOOK_EVERY_MS = 2_000
const PROGRESS_EVERY_MS = 5_000
/** Every change leaves a dead row, in a large world thousands a second. */
const TIDY_EVERY_MS = 10_000
const MANY_NODES = 20
/** One of them sends a thousand webhooks a second. More would claim fewer at a time. */
const MOST_SENDERS = 4
/** In a large world one in this many claims is checked for fairness, because no other statement may run meanwhile. */
const CHECKED_OF_MANY = 50
const LEAST_RECEIVERS = 4
const MOST_RECEIVERS = 400
const BOTS_PER_RECEIVER = 25

export type Run = {
  /** Null: everything held. */
  readonly violation: string | null
  readonly world: World
  readonly virtualMs: number
  readonly realMs: number
  readonly statements: number
  readonly sessions: number
  /** How late each scheduled bot asked to join in its first session; negative: early. */
  readonly lateMs: readonly number[]
  /** The number of events that receivers got, repeated ones included. */
  readonly arrivals: number
}

export type SimulationOptions = {
  readonly bug?: PlantedBug | undefined
  readonly onProgress?: ((sentence: string) => void) | undefined
}

export async function simulate(server: Server, scenario: Scenario, { bug, onProgress }: SimulationOptions = {}): Promise<Run> {
  const startedMs = realMs()
  const world = new World(scenario.seed)
  await server.empty()
  seedIds(world.randomOf('ids'))
  const meetings = new Meetings(world, scenario.joinPlaces)
  const receiver = new Receiver(world, { chance: scenario.loss, untilMs: calmAfterMs(scenario) })
  const acknowledged = new Set<string>()
  const checks: Checks = { world, server, scenario, meetings, receiver, acknowledged }
  const nodes = startNodes(checks, bug)
  planRequests(
    {
      world,
      nodes,
      receivers: Math.min(MOST_RECEIVERS, Math.max(LEAST_RECEIVERS, Math.ceil(scenario.bots.length / BOTS_PER_RECEIVER))),
      onAcknowledged: (botId) => acknowledged.add(botId),
    },
    scenario.bots,
  )
  planFaults({ world, server, meetings, receiver, nodes }, scenario.faults)
  await runToEnd(checks, onProgress)
  for (const node of nodes) node.lose()
  await server.endAll()
  const { violation, nowMs: virtualMs } = world
  const arrivals = [...receiver.arrivals.values()].reduce((sum, it) => sum + it.length, 0)
  const { entered: sessions, lateMs } = meetings
  return { violation, world, virtualMs, realMs: realMs() - startedMs, statements: server.statements, sessions, lateMs, arrivals }
}

function startNodes(checks: Checks, bug: PlantedBug | undefined): readonly SimulatedNode[] {
  const { world, server, scenario, meetings, receiver } = checks
  const plans = new Map(scenario.bots.map((plan) => [plan.index, plan]))
  const workerTools: NodeTools['workerTools'] = {
    meetings,
    planOf: ({ customAttributes }: BotOrders) => {
      const plan = plans.get(customAttributes.index as number)
      if (!plan) throw new Error('simulation: a bot without a plan')
      return plan
    },
    onSentAway: (sitting) => void world.after(0, null, () => checkSentAway(checks, sitting)),
  }
  const network = new NodeNetwork(world, scenario.loss, bug?.onReply)
  let claims = 0
  const hooks: NodeTools['hooks'] = {
    isChecked: (text) => isClaim(text) && ++claims % (server.isParallel ? CHECKED_OF_MANY : 1) === 0,
    onExecuted: (text, reply) => checkClaim(checks, text, reply),
    onAnswer: bug?.onAnswer ?? (() => undefined),
  }
  const nodes = Array.from({ length: scenario.machines }, (_, index) => {
    const machine = new Machine(`m${index}`, world)
    machine.skewMs = scenario.skewsMs[index] ?? 0
    // Two thirds of the nodes deliver webhooks. A large fleet has a few nodes with that role.
    const delivers =
      scenario.machines < MANY_NODES ? index % 3 < 2 : index % Math.max(MANY_NODES, Math.ceil(scenario.machines / MOST_SENDERS)) === 0
    const node = new SimulatedNode(machine, { scenario, server, receiver, workerTools, hooks, delivers, network, bug })
    world.after(index + (scenario.startsAtMs[index] ?? 0), null, () => node.start())
    return node
  })
  network.nodes = nodes
  return nodes
}

async function runToEnd(checks: Checks, onProgress?: (sentence: string) => void): Promise<void> {
  const { world, scenario, acknowledged, meetings, server } = checks
  const deadlineMs = calmAfterMs(scenario) + CALM_MS
  let hasEnded = false
  let nextTidyMs = 0
  let nextProgressMs = realMs() + PROGRESS_EVERY_MS
  const look = async (): Promise<void> => {
    const open = await findOpen(checks)
    const sitting = meetings.sessions().length
    hasEnded = acknowledged.size === scenario.bots.length && open.bots === 0 && open.deliveries === 0 && sitting === 0
    if (onProgress && realMs() > nextProgressMs) {
      nextProgressMs = realMs() + PROGRESS_EVERY_MS
      const seconds = (world.nowMs / 1000).toFixed(0)
      onProgress(
        `${seconds} s: ${acknowledged.size} created, ${open.bots} open, ${sitting} sit, ${open.deliveries} deliveries wait, ${server.statements} statements`,
      )
    }
    if (hasEnded) return
    if (world.nowMs > nextTidyMs) {
      nextTidyMs = world.nowMs + TIDY_EVERY_MS
      await server.tidy()
    }
    if (world.nowMs > deadlineMs) world.fail(stuck(open, sitting))
    world.after(LOOK_EVERY_MS, null, look)
  }
  world.after(LOOK_EVERY_MS, null, look)
  await world.run(() => hasEnded)
  if (world.violation === null) await checkEnd(checks)
}

function stuck({ bots, some, deliveries }: Awaited<ReturnType<typeof findOpen>>, sitting: number): string {
  return `stuck: ${bots} bots have not ended (${some.join(', ')}), ${deliveries} deliveries wait, ${sitting} sessions sit`
}
