// Whose turn it is at the engine: what is final in the order it came, and what is only a foretaste when nobody waits.

export class Turns {
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

  /** Only when the engine is free. `work` ends early when its signal says that somebody else needs the engine. */
  async tryNow(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.isBusy) return
    const given = new AbortController()
    this.#foretaste = given
    await this.#enqueue(() => work(given.signal))
    this.#foretaste = null
  }

  #enqueue<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++
    const result = this.#last.then(work).finally(() => this.#waiting--)
    this.#last = result.catch(() => undefined)
    return result
  }
}
