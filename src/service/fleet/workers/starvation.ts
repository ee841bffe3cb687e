// Remembers that bots of this machine had too little CPU: it takes no further bots until they have been well for a while.
import type { Logger } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'

const LASTS_MS = 10_000

export class Starvation {
  readonly #log: Logger
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(log: Logger) {
    this.#log = log
  }

  observe(): void {
    if (!this.isRecent()) this.#log.warn('this machine has too little CPU for its bots, so it takes no more of them for now')
    this.#lastMs = monotonicMs()
  }

  isRecent(): boolean {
    return monotonicMs() - this.#lastMs < LASTS_MS
  }
}
