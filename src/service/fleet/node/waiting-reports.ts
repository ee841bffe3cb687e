// Counts the reports that wait for the database, so that an outage cannot fill the memory. Those that a bot can end without are dropped first.
import type { BotId } from '../../../domain/bot.ts'
import type { Report } from '../workers/workers.ts'

const MOST_CHARACTERS = 32 * 1024 * 1024

/** Without these reports a bot's status, recording or claim would be wrong. They are few for each bot. */
const NEEDED: ReadonlySet<Report['kind']> = new Set(['moved', 'recording', 'finished', 'lost'])

export class WaitingReports {
  readonly #most: number
  readonly #dropped = new Map<BotId, number>()
  #characters = 0

  constructor(most = MOST_CHARACTERS) {
    this.#most = most
  }

  /** Returns the size to be given to `remove`. Null: there is no room, and the report is dropped. */
  add(report: Report): number | null {
    const size = JSON.stringify(report).length
    if (!NEEDED.has(report.kind) && this.#characters + size > this.#most) {
      this.drop(report.botId)
      return null
    }
    this.#characters += size
    return size
  }

  remove(size: number): void {
    this.#characters -= size
  }

  drop(botId: BotId): void {
    this.#dropped.set(botId, (this.#dropped.get(botId) ?? 0) + 1)
  }

  /** The number of the bot's reports that were dropped since the last call. */
  takeDropped(botId: BotId): number {
    const count = this.#dropped.get(botId) ?? 0
    this.#dropped.delete(botId)
    return count
  }
}
