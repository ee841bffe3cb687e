// Lets the faults of a scenario happen.
import type { Meetings } from './meetings.ts'
import type { SimulatedNode } from './node.ts'
import type { Receiver } from './receiver.ts'
import type { Fault, FaultKind } from './scenario.ts'
import type { Server } from './server.ts'
import type { Process, World } from './world.ts'

/** A database that returns is reached by the other nodes after this part of the time. */
const FIRST_BACK = 0.6

/** Until a row that is not renewed has lapsed, and the nodes that listed it have read their lists again. */
const FORGOTTEN_AFTER_MS = 22_000

/** The time to hand bots over in turn, and then to stop. */
const DRAINED_WITHIN_MS = 35_000

export type FaultTools = {
  readonly world: World
  readonly server: Server
  readonly meetings: Meetings
  readonly receiver: Receiver
  readonly nodes: readonly SimulatedNode[]
}

type Strike = (tools: FaultTools, node: SimulatedNode, fault: Fault) => void

export function planFaults(tools: FaultTools, faults: readonly Fault[]): void {
  for (const fault of faults) {
    const node = tools.nodes[fault.machine % tools.nodes.length]
    if (!node) continue
    tools.world.after(fault.atMs, null, () => {
      tools.world.note('FAULT', `${fault.kind} on ${node.machine.name} for ${fault.forMs} ms (${fault.step})`)
      STRIKES[fault.kind](tools, node, fault)
    })
  }
}

const STRIKES: Readonly<Record<FaultKind, Strike>> = {
  'kill service': (tools, node, { step, forMs }) => {
    const { service } = node
    restart(tools, node, forMs)
    if (step === 'now' || !service) return node.kill()
    service.link.onStatement = () => step
  },
  'lose machine': (tools, node, { forMs }) => {
    node.lose()
    restart(tools, node, forMs)
  },
  'stop service': (tools, node, { forMs }) => {
    node.stop()
    restart(tools, node, forMs)
  },
  'drain service': (tools, other, { forMs }) => {
    const node = busiest(tools) ?? other
    node.stop({ drains: true })
    restart(tools, node, forMs + DRAINED_WITHIN_MS)
  },
  'pause service': (_, node, { forMs }) => pause(node.service?.process, forMs),
  'pause worker': ({ world, meetings }, node, { forMs }) => {
    const [worker] = node.workers()
    pause(worker?.process, forMs)
    if (worker) world.after(forMs, null, () => meetings.goesOn(worker.process))
  },
  'pause machine': ({ world, meetings }, node, { forMs }) => {
    pause(node.service?.process, forMs)
    for (const { process } of node.workers()) {
      pause(process, forMs)
      world.after(forMs, null, () => meetings.goesOn(process))
    }
  },
  'kill worker': (_, node) => node.workers()[0]?.end('SIGKILL'),
  'cut database': ({ world }, node, { forMs }) => cut(node, world.nowMs + forMs),
  'database away': ({ world, nodes }, last, { forMs }) => {
    // A node that starts later reaches the database.
    for (const node of nodes) if (node.service) cut(node, world.nowMs + (node === last ? forMs : FIRST_BACK * forMs))
  },
  'database split': ({ world, nodes }, spared, { forMs }) => {
    for (const node of nodes) if (node !== spared) cut(node, world.nowMs + forMs)
  },
  'lapse, then split': (tools, node, fault) => {
    if (node.service) node.service.link.urgentCutUntilMs = tools.world.nowMs + FORGOTTEN_AFTER_MS + fault.forMs
    tools.world.after(FORGOTTEN_AFTER_MS, null, () => STRIKES['database split'](tools, node, fault))
  },
  'freeze database': ({ world, server }, _, { forMs }) => {
    server.frozenUntilMs = world.nowMs + forMs
  },
  'part nodes': ({ world }, node, { forMs }) => {
    node.apartUntilMs = world.nowMs + forMs
  },
  'isolate machine': (tools, node, fault) => {
    STRIKES['cut database'](tools, node, fault)
    STRIKES['part nodes'](tools, node, fault)
  },
  'reset database': (_, node) => node.service?.link.reset(false),
  'cut meetings': ({ world }, node, { forMs }) => {
    node.noMeetingsUntilMs = world.nowMs + forMs
  },
  'cut receivers': ({ world, receiver }, _, { forMs }) => {
    receiver.cutUntilMs = world.nowMs + forMs
  },
  'jump clock': (_, node, { forMs }) => {
    node.machine.skewMs += forMs % 2 === 0 ? forMs : -forMs
  },
}

/** The running node with the most sessions. */
function busiest({ nodes, meetings }: FaultTools): SimulatedNode | undefined {
  const sessionsOf = ({ service }: SimulatedNode): number => meetings.sessions().filter(({ node }) => node === service?.process).length
  return nodes.filter(({ service }) => service !== null).toSorted((a, b) => sessionsOf(b) - sessionsOf(a))[0]
}

function cut(node: SimulatedNode, untilMs: number): void {
  node.cutUntilMs = Math.max(node.cutUntilMs, untilMs)
  if (node.service) node.service.link.cutUntilMs = node.cutUntilMs
}

/** A shorter pause within a longer one changes nothing: timers of the process that came due meanwhile wait for the end of the longer one. */
function pause(process: Process | undefined, forMs: number): void {
  if (process) process.stoppedUntilMs = Math.max(process.stoppedUntilMs, process.world.nowMs + forMs)
}

/** Also if the statement at which the service dies never comes: then it is killed here. */
function restart({ world }: FaultTools, node: SimulatedNode, afterMs: number): void {
  const before = node.service
  world.after(afterMs, null, () => {
    if (node.service === before) node.kill()
    node.start()
  })
}
