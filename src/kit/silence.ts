// Judges how long a process may be silent. Silence is counted in checks of the observer, so that the observer's own pause blames no process.
import { type CpuWaits, isStarvedBetween } from './cpu-wait.ts'

/** With a check a second, a process that hangs is noticed within ten seconds. */
const MOST_SILENT_CHECKS = 7
/** The limit while the process waits for a CPU most of the time: it is slow, and does not hang. */
export const MOST_STARVED_CHECKS = 30
/** From here on it is measured how long the process waits. */
const SUSPECT_CHECKS = 2

export class Silence {
  readonly #waits: () => CpuWaits
  #suspicion: { readonly sinceMs: number; readonly waits: CpuWaits } | null = null
  #isStarved = false

  /** `waits`: the time for which the threads of the process have waited for a CPU. */
  constructor(waits: () => CpuWaits) {
    this.#waits = waits
  }

  /** True while the process is silent and waits for a CPU. */
  get isStarved(): boolean {
    return this.#isStarved
  }

  /** Call with each check. Returns the most checks in a row that the process may be silent. */
  limit(silentChecks: number): number {
    if (silentChecks < SUSPECT_CHECKS) this.#suspicion = null
    else this.#suspicion ??= { sinceMs: performance.now(), waits: this.#waits() }
    this.#isStarved = silentChecks >= MOST_SILENT_CHECKS && this.#hasWaited()
    return this.#isStarved ? MOST_STARVED_CHECKS : MOST_SILENT_CHECKS
  }

  #hasWaited(): boolean {
    if (!this.#suspicion) return false
    const { sinceMs, waits } = this.#suspicion
    return isStarvedBetween(waits, this.#waits(), performance.now() - sinceMs)
  }
}
