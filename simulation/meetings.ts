// The meetings: which sessions of a bot sit there. A bot never has two sessions at once.
import type { BotId } from '../src/domain/bot.ts'
import type { Process, World } from './world.ts'

export type Sitting = {
  readonly botId: BotId
  readonly fence: number
  readonly host: Process
  /** On the monotonic clock of the host's machine. */
  holdUntilMs: number
  /** The host was stopped when its hold ended: it could not leave. It shows nothing in the meeting, and leaves when it goes on. */
  wasStopped: boolean
  /** The host has sent its last report about it. */
  hasReported: boolean
}

export class Meetings {
  readonly #world: World
  readonly #sittings = new Map<BotId, Set<Sitting>>()
  readonly #newest = new Map<BotId, number>()
  /** The number of sessions so far. */
  entered = 0

  constructor(world: World) {
    this.#world = world
  }

  enter(sitting: Sitting): void {
    this.entered += 1
    const { botId, fence, host } = sitting
    const others = this.#sittings.get(botId) ?? new Set<Sitting>()
    for (const other of others)
      if (this.#counts(other))
        this.#world.fail(
          `double join: ${botId} joins from ${host.name} (fence ${fence}) and sits on ${other.host.name} (fence ${other.fence})`,
        )
    this.#sittings.set(botId, others.add(sitting))
    this.#newest.set(botId, Math.max(fence, this.#newest.get(botId) ?? 0))
  }

  leave(sitting: Sitting): void {
    this.#sittings.get(sitting.botId)?.delete(sitting)
  }

  isNewest({ botId, fence }: Sitting): boolean {
    return this.#newest.get(botId) === fence
  }

  sessions(): readonly Sitting[] {
    return [...this.#sittings.values()].flatMap((it) => [...it])
  }

  /** The host goes on: sessions whose hold ended meanwhile are left now. */
  goesOn(host: Process): void {
    for (const sitting of this.sessions())
      if (sitting.host === host && host.machine.monotonicMs() > sitting.holdUntilMs) sitting.wasStopped = true
  }

  #counts(sitting: Sitting): boolean {
    const { host, holdUntilMs } = sitting
    if (host.isStopped && host.machine.monotonicMs() > holdUntilMs) sitting.wasStopped = true
    return !sitting.wasStopped
  }
}
