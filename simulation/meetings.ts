// The meetings: which sessions of a bot sit there. A bot never has two sessions at once, but for a while in a planned hand-over, and a node lets only a few join at once.
import type { BotId } from '../src/domain/bot.ts'
import { JOIN_MS } from '../src/service/fleet/workers/joins.ts'
import type { Process, World } from './world.ts'

/** A successor has a minute to be admitted, and the earlier session leaves within seconds then, or when its lease has lapsed. */
const HANDED_OVER_WITHIN_MS = 90_000
/** A bot asks to join a minute before its time at most. */
const SOONEST_MS = 60_000

export type Sitting = {
  readonly botId: BotId
  readonly fence: number
  readonly worker: Process
  /** The service that ordered it. */
  readonly node: Process
  readonly orderedMs: number
  /** On the monotonic clock of the worker's machine. */
  holdUntilMs: number
  /** The worker was stopped when its hold ended: it could not leave. It shows nothing in the meeting, and leaves when it goes on. */
  wasStopped: boolean
  /** The worker has sent its last report about it. */
  hasReported: boolean
}

/** The fence of a successor is far ahead of all claims of the bot meanwhile. */
const isAhead = (later: Sitting, earlier: Sitting): boolean => later.fence - earlier.fence > 900

/** One of them is a session of a planned hand-over that joins beside the other one. */
function succeeds(a: Sitting, b: Sitting): boolean {
  return isAhead(a, b) || isAhead(b, a)
}

export class Meetings {
  readonly #world: World
  readonly #sittings = new Map<BotId, Set<Sitting>>()
  readonly #newest = new Map<BotId, number>()
  /** The sessions of each node that have not asked to join yet. */
  readonly #joins = new Map<Process, Set<Sitting>>()
  /** The number of sessions so far. */
  entered = 0
  /** How late each scheduled bot asked to join; negative: early. */
  readonly lateMs: number[] = []

  readonly #joinPlaces: number

  constructor(world: World, joinPlaces: number) {
    this.#joinPlaces = joinPlaces
    this.#world = world
  }

  enter(sitting: Sitting): void {
    this.entered += 1
    const { botId, fence } = sitting
    const others = this.#sittings.get(botId) ?? new Set<Sitting>()
    for (const other of others) {
      if (!this.#counts(other)) continue
      if (succeeds(sitting, other)) this.#watch(sitting, other)
      else this.#fail('double join', sitting, other)
    }
    this.#sittings.set(botId, others.add(sitting))
    this.#join(sitting)
    this.#newest.set(botId, Math.max(fence, this.#newest.get(botId) ?? 0))
  }

  leave(sitting: Sitting): void {
    this.#sittings.get(sitting.botId)?.delete(sitting)
    this.#joins.get(sitting.node)?.delete(sitting)
  }

  /** `joinAtMs`: the join time of a scheduled bot in its first session. */
  ask(sitting: Sitting, joinAtMs: number | null): void {
    this.#joins.get(sitting.node)?.delete(sitting)
    if (joinAtMs === null) return
    const lateMs = this.#world.nowMs - joinAtMs
    this.lateMs.push(lateMs)
    if (lateMs < -SOONEST_MS) this.#world.fail(`too early: ${sitting.botId} asks ${-lateMs} ms before its time`)
  }

  isNewest({ botId, fence }: Sitting): boolean {
    return this.#newest.get(botId) === fence
  }

  sessions(): readonly Sitting[] {
    return [...this.#sittings.values()].flatMap((it) => [...it])
  }

  /** The worker goes on: sessions whose hold ended meanwhile are left now. */
  goesOn(worker: Process): void {
    for (const sitting of this.sessions())
      if (sitting.worker === worker && worker.machine.monotonicMs() > sitting.holdUntilMs) sitting.wasStopped = true
  }

  /** Two sessions of a planned hand-over: one of them leaves. */
  #watch(later: Sitting, earlier: Sitting): void {
    const sits = (sitting: Sitting): boolean => this.#sittings.get(sitting.botId)?.has(sitting) === true && this.#counts(sitting)
    this.#world.after(HANDED_OVER_WITHIN_MS, null, () => {
      if (sits(later) && sits(earlier)) this.#fail('double stay', later, earlier)
    })
  }

  #fail(what: string, { botId, worker, fence }: Sitting, other: Sitting): void {
    this.#world.fail(`${what}: ${botId} joins from ${worker.name} (fence ${fence}) and sits on ${other.worker.name} (fence ${other.fence})`)
  }

  /** A worker that was stopped joins late, when its node no longer counts the join. */
  #join(sitting: Sitting): void {
    const { node } = sitting
    const joins = this.#joins.get(node) ?? new Set<Sitting>()
    this.#joins.set(node, joins.add(sitting))
    for (const it of joins) if (this.#world.nowMs - it.orderedMs >= JOIN_MS) joins.delete(it)
    if (joins.size > this.#joinPlaces) this.#world.fail(`too many joins: ${node.name} lets ${joins.size} bots join at once`)
  }

  #counts(sitting: Sitting): boolean {
    const { worker, holdUntilMs } = sitting
    if (worker.isStopped && worker.machine.monotonicMs() > holdUntilMs) sitting.wasStopped = true
    return !sitting.wasStopped
  }
}
