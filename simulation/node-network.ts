// The network between the nodes: questions of one node to another travel on the virtual clock, and a fault can keep a machine from the others.
import type { Claim } from '../src/service/db/fleet/claims.ts'
import type { NodeAddress } from '../src/service/db/fleet/nodes.ts'
import type { Succeed } from '../src/service/fleet/node/bot-requests.ts'
import { ANSWER_WITHIN_MS, type AnswerNode, type NodeQuestion, type NodeReply } from '../src/service/fleet/node/node-questions.ts'
import { between, type Random } from './random.ts'
import { type Machine, type Process, running, type World } from './world.ts'

const SLOWEST_MS = 150

export type AskedNode = {
  readonly machine: Machine
  /** The machine does not answer at all. */
  readonly isLost: boolean
  readonly apartUntilMs: number
  readonly service: { readonly process: Process; readonly answer: AnswerNode; readonly succeed: Succeed } | null
}

type Reached = NonNullable<AskedNode['service']>
/** `run` is executed by the asked node. `otherwise` is the reply of a machine on which another process runs, or none. */
type Asked<Reply> = {
  readonly from: Process
  readonly target: AskedNode
  readonly id: string
  readonly run: (service: Reached) => Promise<Reply>
  readonly otherwise: (isRunning: boolean) => Reply
}

type Question<Reply> = Pick<Asked<Reply>, 'run' | 'otherwise'> & {
  readonly name: string
  readonly withinMs: number
  readonly silent: Reply
}

/** A node that succeeds answers when it has given its session the order to join. */
const SUCCEEDS_WITHIN_MS = 15_000

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

  async ask(from: Process, node: NodeAddress, question: NodeQuestion): Promise<NodeReply> {
    const reply = await this.#exchange<NodeReply>(from, node, {
      name: question.kind,
      withinMs: ANSWER_WITHIN_MS,
      silent: 'silent',
      run: (service) => service.answer(question),
      otherwise: (isRunning) => (isRunning ? 'silent' : 'gone'),
    })
    return this.#onReply(question, reply)
  }

  askSuccessor(from: Process, node: NodeAddress, claim: Claim): Promise<boolean> {
    const run = (service: Reached): Promise<boolean> => service.succeed(claim)
    return this.#exchange(from, node, { name: 'succeed', withinMs: SUCCEEDS_WITHIN_MS, silent: false, run, otherwise: () => false })
  }

  #exchange<Reply>(from: Process, { id, address }: NodeAddress, { name, withinMs, silent, ...question }: Question<Reply>): Promise<Reply> {
    const context = running.getStore()
    if (!context) throw new Error('simulation: a question outside every process')
    return new Promise((resolve) => {
      const settle = (reply: Reply): void => {
        this.#world.note(from.name, `asks ${id} (${name}): ${JSON.stringify(reply)}`)
        resolve(reply)
      }
      this.#world.after(withinMs, context, () => settle(silent))
      const target = this.nodes.find(({ machine }) => machine.name === address)
      if (!target) return
      const asked = { from, target, id, ...question }
      const reply = (it: Reply): void => {
        if (!this.#isApart(asked)) this.#world.after(this.#latencyMs(), context, () => settle(it))
      }
      this.#world.after(this.#latencyMs(), null, () => this.#arrive(asked, reply))
    })
  }

  #arrive<Reply>(asked: Asked<Reply>, reply: (it: Reply) => void): void {
    const { target, id, run, otherwise } = asked
    const { service, isLost } = target
    if (isLost || this.#isApart(asked) || this.#random() < this.#loss) return
    // An error of the asked node is an answer without success.
    const ask = (it: Reached) => void run(it).then(reply, () => reply(otherwise(true)))
    if (service?.process.name === id) this.#world.after(0, { process: service.process }, () => ask(service))
    // Another process refuses the key of the one that is asked.
    else this.#world.after(0, service && { process: service.process }, () => reply(otherwise(service !== null)))
  }

  #isApart({ from, target }: Pick<Asked<unknown>, 'from' | 'target'>): boolean {
    if (from.machine === target.machine) return false
    const own = this.nodes.find(({ machine }) => machine === from.machine)
    return Math.max(target.apartUntilMs, own?.apartUntilMs ?? 0) > this.#world.nowMs
  }

  #latencyMs(): number {
    return this.#random() < 0.1 ? between(this.#random, 5, SLOWEST_MS) : between(this.#random, 0.2, 3)
  }
}
