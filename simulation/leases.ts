// How a simulated node keeps the leases of its bots, and ends those of other nodes: the real keeper and rights, on the network of the world.
import type { Db } from '../src/service/db/database.ts'
import { renewClaims } from '../src/service/db/fleet/node-leases.ts'
import { knownNodes } from '../src/service/db/fleet/nodes.ts'
import { LapseRights } from '../src/service/fleet/node/lapse-rights.ts'
import { OverdueBots } from '../src/service/fleet/node/overdue-bots.ts'
import { Strangers } from '../src/service/fleet/node/strangers.ts'
import { type KeeperLink, keepInThisThread } from '../src/service/fleet/workers/keeper-client.ts'
import { KnownNodes } from '../src/service/fleet/workers/known-nodes.ts'
import { LEASES } from '../src/service/leases.ts'
import { reaches } from './database.ts'
import type { NodeNetwork } from './node-network.ts'
import type { PlantedBug } from './planted-bugs.ts'
import type { Scenario } from './scenario.ts'
import type { SimulatedWorker } from './worker.ts'
import type { Process } from './world.ts'

const SEAT_WAIT_SECONDS = 120

type LeaseTools = {
  readonly scenario: Scenario
  readonly network: NodeNetwork
  readonly bug: PlantedBug | undefined
  readonly service: Process
  readonly urgentDb: Db
}

export function leasesOf(tools: LeaseTools, startWorker: () => SimulatedWorker) {
  const ending = endingOf(tools)
  const onRenewed = (requestedMs: number): void => ending.rights.noteRenewal(requestedMs)
  return { ending, onRenewed, keeper: keeperOf(tools, startWorker) }
}

/** Whether the node ends the leases of other nodes. */
function endingOf({ service, urgentDb, network, bug }: LeaseTools) {
  const rights = new (bug?.Rights ?? LapseRights)({ reachesDatabase: () => reaches(urgentDb) })
  const strangers = new Strangers({
    ask: (asked, question) => network.ask(service, asked, question),
    predecessors: predecessorsOf(service),
  })
  return { nodeId: service.name, rights, strangers, overdue: new OverdueBots(), seatWaitSeconds: SEAT_WAIT_SECONDS }
}

/** In the simulated process of its service: a pause of the one is a pause of the other. */
function keeperOf({ service, urgentDb, scenario, network, bug }: LeaseTools, startWorker: () => SimulatedWorker): KeeperLink {
  const renewal = { nodeId: service.name, leaseSeconds: LEASES.bot.seconds }
  const seconds = scenario.outageSeconds
  const known = new (bug?.Known ?? KnownNodes)({
    read: () => knownNodes(urgentDb, service.name, LEASES.node.seconds),
    ask: (node, question) => network.ask(service, node, question),
    nowMs: () => service.machine.monotonicMs(),
  })
  return keepInThisThread({
    renew: (claims, knows) => renewClaims(urgentDb, { ...renewal, claims, knows }),
    outage: seconds > 0 ? { known, seconds } : null,
    fork: () => startWorker().asChildProcess(),
  })
}

/** The services of a machine are numbered. One starts when the one before has ended. */
function predecessorsOf({ name, machine }: Process): ReadonlySet<string> {
  const earlier = Number(name.slice(machine.name.length + 1)) - 1
  return new Set(Array.from({ length: earlier }, (_, index) => `${machine.name}.${index + 1}`))
}
