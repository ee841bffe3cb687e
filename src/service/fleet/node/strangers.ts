// Silent holders that do not know this node, so they did not ask it: they may keep their bots while the database is away. This node asks them
// before it ends their leases. A holder without an answer keeps its bots as long as it may stay at most.
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { NodeAddress } from '../../db/fleet/nodes.ts'
import { LEASES } from '../../leases.ts'
import type { AskNode } from './node-questions.ts'

/** The workers of a process that ended leave their meetings within this time. */
const LEFT_AFTER_MS = LEASES.bot.seconds * 1000
/** An answer is used by the next look. */
const VALID_MS = 3_000

export type StrangersOptions = {
  readonly ask: AskNode
  /** Nodes whose processes have ended, as this machine knows. */
  readonly predecessors: ReadonlySet<string>
  readonly nowMs?: () => number
}

type Asked = { isPending: boolean; goneSinceMs: number | null; freeAtMs: number | null }

export class Strangers {
  readonly #options: StrangersOptions
  readonly #nowMs: () => number
  readonly #asked = new Map<string, Asked>()

  constructor(options: StrangersOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? monotonicMs
  }

  /** Asks these holders, and forgets all others. */
  observe(holders: readonly NodeAddress[]): void {
    const ids = new Set(holders.map(({ id }) => id))
    for (const id of this.#asked.keys()) if (!ids.has(id)) this.#asked.delete(id)
    for (const holder of holders) void this.#question(holder)
  }

  /** The holders whose bots have left. */
  left(): readonly string[] {
    const nowMs = this.#nowMs()
    return [...this.#asked].filter(([, { freeAtMs }]) => freeAtMs !== null && nowMs - freeAtMs < VALID_MS).map(([id]) => id)
  }

  async #question(holder: NodeAddress): Promise<void> {
    const asked = this.#asked.get(holder.id) ?? { isPending: false, goneSinceMs: null, freeAtMs: null }
    this.#asked.set(holder.id, asked)
    if (asked.isPending) return
    asked.isPending = true
    const { ask, predecessors } = this.#options
    const reply = predecessors.has(holder.id) ? 'gone' : await ask(holder, { kind: 'holds' })
    const nowMs = this.#nowMs()
    asked.goneSinceMs = reply === 'gone' ? (asked.goneSinceMs ?? nowMs) : null
    const hasLeft = asked.goneSinceMs === null ? typeof reply === 'object' && !reply.holds : nowMs - asked.goneSinceMs >= LEFT_AFTER_MS
    asked.freeAtMs = hasLeft ? nowMs : null
    asked.isPending = false
  }
}
