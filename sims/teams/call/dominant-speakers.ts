// The dominant speaker history of `main-channel`: source ids, the newest first.

const LONGEST = 6

export class DominantSpeakers {
  readonly #mode: 'live' | 'stuck' | 'none'
  readonly #onChange: (history: readonly number[]) => void
  #history: readonly number[] = []

  constructor(mode: 'live' | 'stuck' | 'none', onChange: (history: readonly number[]) => void) {
    this.#mode = mode
    this.#onChange = onChange
  }

  /** The newest stays dominant while it speaks, even if another one starts. */
  update(speaking: readonly number[]): void {
    const [next] = speaking
    const [dominant] = this.#history
    if (next === undefined || this.#mode === 'none') return
    if (dominant !== undefined && (speaking.includes(dominant) || this.#mode === 'stuck')) return
    this.#history = [next, ...this.#history.filter((source) => source !== next)].slice(0, LONGEST)
    this.#onChange(this.#history)
  }

  /** For a visitor whose channel has just opened. */
  greeting(): readonly number[] {
    return this.#history
  }
}
