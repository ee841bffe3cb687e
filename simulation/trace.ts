// What happened in a run, step by step. It is written as text only when a run failed.
import { createHash } from 'node:crypto'

type Step = readonly [atMs: number, who: string, what: string]

/** Older steps are forgotten. */
const MOST = 20_000

export class Trace {
  #steps: Step[] = []
  readonly #hash = createHash('sha256')

  add(atMs: number, who: string, what: string): void {
    this.#steps.push([atMs, who, what])
    this.#hash.update(`${atMs} ${who} ${what}\n`)
    if (this.#steps.length > 2 * MOST) this.#steps = this.#steps.slice(-MOST)
  }

  /** Equal for two runs with the same steps. */
  digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16)
  }

  text(most: number): string {
    return this.#steps
      .slice(-most)
      .map(([atMs, who, what]) => `${(atMs / 1000).toFixed(3).padStart(9)} s  ${who.padEnd(10)} ${what}`)
      .join('\n')
  }
}
