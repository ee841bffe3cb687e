// Whose turn it is at the engine: what is final in the order it came, and what is only a foretaste when nobody waits.

/** Foretastes take half of the time at the most, all voices together. */
const FORETASTE_REST = 1

export class Turns {
  /** Who wants a foretaste, the longest first. */
  readonly #eager = new Set<object>()
  #restsUntilMs = 0
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #needed = 0
  #foretaste: AbortController | null = null

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** Somebody's turn is under way or waited for; a foretaste does not count. */
  get isNeeded(): boolean {
    return this.#needed > 0
  }

  /** After everything that was here before. A foretaste under way is given up for it. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#foretaste?.abort()
    this.#needed++
    return this.#enqueue(work).finally(() => this.#needed--)
  }

  /**
   * Only when the engine is free and nobody has waited longer; else null, and `who` is remembered. `work` ends early when its signal
   * says that somebody else needs the engine.
   */
  tryNow(who: object, work: (signal: AbortSignal) => Promise<void>): Promise<void> | null {
    this.#eager.add(who)
    const [first] = this.#eager
    if (this.isBusy || first !== who || performance.now() < this.#restsUntilMs) return null
    this.#eager.delete(who)
    return this.#taste(work)
  }

  /** `who` wants no foretaste any more. */
  forget(who: object): void {
    this.#eager.delete(who)
  }

  async #taste(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const given = new AbortController()
    this.#foretaste = given
    const began = performance.now()
    await this.#enqueue(() => work(given.signal)).finally(() => {
      const now = performance.now()
      this.#restsUntilMs = now + (now - began) * FORETASTE_REST
    })
    this.#foretaste = null
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++
    const result = this.#last.then(work).finally(() => this.#waiting--)
    this.#last = result.catch(() => undefined)
    return result
  }
}
