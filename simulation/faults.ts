// Lets the faults of a scenario happen.
import type { Meetings } from './meetings.ts'
import type { SimulatedNode } from './node.ts'
import type { Receiver } from './receiver.ts'
import type { Fault, FaultKind } from './scenario.ts'
import type { Process, World } from './world.ts'

export type FaultTools = {
  readonly world: World
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
  'pause service': (_, node, { forMs }) => pause(node.service?.process, forMs),
  'pause host': ({ world, meetings }, node, { forMs }) => {
    const [host] = node.hosts()
    pause(host?.process, forMs)
    if (host) world.after(forMs, null, () => meetings.goesOn(host.process))
  },
  'pause machine': ({ world, meetings }, node, { forMs }) => {
    pause(node.service?.process, forMs)
    for (const { process } of node.hosts()) {
      pause(process, forMs)
      world.after(forMs, null, () => meetings.goesOn(process))
    }
  },
  'kill host': (_, node) => node.hosts()[0]?.end('SIGKILL'),
  'cut database': ({ world }, node, { forMs }) => {
    node.cutUntilMs = world.nowMs + forMs
    if (node.service) node.service.link.cutUntilMs = node.cutUntilMs
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
