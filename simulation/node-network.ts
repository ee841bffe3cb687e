// The network between the nodes: questions of one node to another travel on the virtual clock, and a fault can keep a machine from the others.
import type { NodeAddress } from '../src/service/db/fleet/nodes.ts'
import { ANSWER_WITHIN_MS, type AnswerNode, type NodeQuestion, type NodeReply } from '../src/service/fleet/node/node-questions.ts'
import { between, type Random } from './random.ts'
import { type Machine, type Process, running, type World } from './world.ts'

const SLOWEST_MS = 150

export type AskedNode = {
  readonly machine: Machine
  /** The machine does not answer at all. */
  readonly isLost: boolean
  readonly apartUntilMs: number
  readonly service: { readonly process: Process; readonly answer: AnswerNode } | null
}

type Asked = { readonly from: Process; readonly target: AskedNode; readonly id: string; readonly question: NodeQuestion }

export class NodeNetwork {
  readonly #world: World
  readonly #random: Random
  readonly #loss: number
  readonly #onReply: (question: NodeQuestion, reply: NodeReply) => NodeReply
  nodes: readonly AskedNode[] = []

  constructor(world: World, loss: number, onReply: (question: NodeQuestion, reply: NodeReply) => NodeReply = (_, reply) => reply) {
    this.#world = world
    this.#random = world.randomOf('between nodes')
    this.#loss = loss
    this.#onReply = onReply
  }

  ask(from: Process, { id, address }: NodeAddress, question: NodeQuestion): Promise<NodeReply> {
    const context = running.getStore()
    if (!context) throw new Error('simulation: a question outside every process')
    return new Promise((resolve) => {
      const settle = (reply: NodeReply): void => {
        this.#world.note(from.name, `asks ${id} (${question.kind}): ${JSON.stringify(reply)}`)
        resolve(this.#onReply(question, reply))
      }
      this.#world.after(ANSWER_WITHIN_MS, context, () => settle('silent'))
      const target = this.nodes.find(({ machine }) => machine.name === address)
      if (!target) return
      const asked = { from, target, id, question }
      const reply = (it: NodeReply): void => {
        if (!this.#isApart(asked)) this.#world.after(this.#latencyMs(), context, () => settle(it))
      }
      this.#world.after(this.#latencyMs(), null, () => this.#arrive(asked, reply))
    })
  }

  #arrive(asked: Asked, reply: (it: NodeReply) => void): void {
    const { target, id, question } = asked
    const { service, isLost } = target
    if (isLost || this.#isApart(asked) || this.#random() < this.#loss) return
    if (service?.process.name === id) this.#world.after(0, { process: service.process }, () => void service.answer(question).then(reply))
    // Another process refuses the key of the one that is asked.
    else this.#world.after(0, service && { process: service.process }, () => reply(service ? 'silent' : 'gone'))
  }

  #isApart({ from, target }: Asked): boolean {
    if (from.machine === target.machine) return false
    const own = this.nodes.find(({ machine }) => machine === from.machine)
    return Math.max(target.apartUntilMs, own?.apartUntilMs ?? 0) > this.#world.nowMs
  }

  #latencyMs(): number {
    return this.#random() < 0.1 ? between(this.#random, 5, SLOWEST_MS) : between(this.#random, 0.2, 3)
  }
}
