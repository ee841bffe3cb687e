// The nodes that this one asks when it cannot renew its leases: all that may end them, as the database named them.
import type { KnownNodes as Listed, NodeAddress } from '../../db/fleet/nodes.ts'
import type { AskNode } from '../node/node-questions.ts'

const REFRESH_AFTER_MS = 5_000

export type KnownNodesOptions = {
  /** Null: this node has no row. */
  readonly read: () => Promise<Listed | null>
  readonly ask: AskNode
  readonly nowMs: () => number
}

export class KnownNodes {
  readonly #options: KnownNodesOptions
  #listed: Listed | null = null
  #turn = 0
  #readMs = Number.NEGATIVE_INFINITY

  constructor(options: KnownNodesOptions) {
    this.#options = options
  }

  /** What this node's row says of its list: the nodes that joined before are on it. */
  async refresh(): Promise<string | null> {
    const { read, nowMs } = this.#options
    if (nowMs() - this.#readMs > REFRESH_AFTER_MS) {
      // A read that fails changes nothing: the row names this list. Nodes that joined later ask before they end a lease.
      this.#listed = await read()
      this.#readMs = nowMs()
    }
    return this.#listed?.knows ?? null
  }

  /** For how long none of them ends a lapsed lease. 0: one of them may, or does not answer. */
  async promisedMs(): Promise<number> {
    if (!this.#listed) return 0
    const [first, ...rest] = this.#inTurn(this.#listed.others)
    if (!first) return Number.POSITIVE_INFINITY
    // A database that is only slow has nodes that reach it: then one question is enough, and not one to each node.
    const promisedMs = await this.#promiseOf(first)
    if (promisedMs === 0) return 0
    return Math.min(promisedMs, ...(await Promise.all(rest.map((node) => this.#promiseOf(node)))))
  }

  /** Each time another node is the first. */
  #inTurn(others: readonly NodeAddress[]): readonly NodeAddress[] {
    this.#turn = (this.#turn + 1) % Math.max(1, others.length)
    return [...others.slice(this.#turn), ...others.slice(0, this.#turn)]
  }

  async #promiseOf(node: NodeAddress): Promise<number> {
    const reply = await this.#options.ask(node, { kind: 'promise' })
    return typeof reply === 'object' ? reply.promisedMs : 0
  }
}
