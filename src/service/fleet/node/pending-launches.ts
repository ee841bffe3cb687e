// Bots that are claimed but not seated yet: their claims are renewed, and their seats are reserved.
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Claim, DueBot, FreeSeats } from '../../db/fleet/claims.ts'

/** A launch that takes longer loses its claim. */
const LAUNCH_WITHIN_MS = 60_000

type Launch = Claim & { readonly workspaceId: WorkspaceId; readonly sinceMs: number; untilMs: number }

export class PendingLaunches {
  readonly #launches = new Map<BotId, Launch>()
  #reserved = 0

  add({ id, fence, workspaceId }: DueBot, untilMs: number): void {
    this.#launches.set(id, { botId: id, fence, workspaceId, untilMs, sinceMs: monotonicMs() })
  }

  delete({ id, fence }: DueBot): void {
    if (this.#launches.get(id)?.fence === fence) this.#launches.delete(id)
  }

  claims(): readonly Claim[] {
    return this.#current()
  }

  /** Bots that are about to be launched, also those whose claim is requested at this moment. */
  count(): number {
    return this.#current().length + this.#reserved
  }

  /** Counts as many bots until the request has claimed them. */
  async whileReserved<Result>(bots: number, request: () => Promise<Result>): Promise<Result> {
    this.#reserved += bots
    return request().finally(() => {
      this.#reserved -= bots
    })
  }

  /** Until when the bot may be seated, on the monotonic clock. */
  untilMs(id: BotId): number {
    return this.#launches.get(id)?.untilMs ?? 0
  }

  extend(bots: ReadonlySet<BotId>, untilMs: number): void {
    for (const [id, launch] of this.#launches) if (bots.has(id)) launch.untilMs = untilMs
  }

  /** The free seats that no pending launch has reserved. */
  leave({ open: browsers, seatsPerBrowser, own: seats }: FreeSeats): FreeSeats {
    let open = browsers
    const own = new Map(seats)
    for (const { workspaceId } of this.#current()) {
      const left = own.get(workspaceId) ?? 0
      if (left === 0) open -= 1
      own.set(workspaceId, (left || seatsPerBrowser) - 1)
    }
    return { open: Math.max(0, open), seatsPerBrowser, own }
  }

  #current(): readonly Launch[] {
    return [...this.#launches.values()].filter(({ sinceMs }) => monotonicMs() - sinceMs < LAUNCH_WITHIN_MS)
  }
}
