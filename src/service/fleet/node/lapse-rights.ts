// Whether this node may end lapsed leases of other nodes. It may not while it keeps a promise: a node that cannot renew asks every node that it
// knows, and its bots stay as long as all of them promise to end no lease.
import { monotonicMs } from '../../../kit/monotonic.ts'
import { LAPSE_LOOK_SECONDS } from '../../db/fleet/lapse-look.ts'
import { LEASES } from '../../leases.ts'

const QUIET_MS = 2 * LEASES.bot.seconds * 1000

export type LapseRightsOptions = {
  /** False: the database did not answer just now, or refused a change. */
  readonly reachesDatabase: () => Promise<boolean>
  readonly nowMs?: () => number
}

export class LapseRights {
  readonly #options: LapseRightsOptions
  readonly #nowMs: () => number
  #quietUntilMs = 0
  /** When the last renewal of this node's row was requested; null: there was none. */
  #renewedMs: number | null = null
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(options: LapseRightsOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? monotonicMs
  }

  /** The node must have reached the database without a break for two lease times. */
  mayEnd(): boolean {
    return this.#nowMs() >= this.#quietUntilMs
  }

  /** The database has answered the begin of a look. What the look ends, it ends within `LAPSE_LOOK_SECONDS` from now. */
  noteLook(): void {
    this.#lookedMs = this.#nowMs()
  }

  /** This node's row was renewed. If it may have lapsed before, other nodes may have forgotten this one meanwhile. */
  noteRenewal(requestedMs: number): void {
    if (this.#renewedMs !== null && this.#nowMs() - this.#renewedMs > LEASES.node.seconds * 1000) this.noteBreak()
    this.#renewedMs = requestedMs
  }

  noteBreak(): void {
    this.#quietUntilMs = this.#nowMs() + QUIET_MS
  }

  /**
   * For how long this node ends no lease. 0: it reaches the database. No promise is given while a statement of its last look may still end
   * one; the asking node asks again.
   */
  async promisedMs(): Promise<number> {
    const reaches = await this.#options.reachesDatabase()
    if (!reaches && this.#nowMs() - this.#lookedMs > LAPSE_LOOK_SECONDS * 1000) this.noteBreak()
    return Math.max(0, this.#quietUntilMs - this.#nowMs())
  }
}
