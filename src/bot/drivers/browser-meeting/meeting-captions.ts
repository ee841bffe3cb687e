// The captions of the meeting. The recording requests them, or a call needs them to name its speakers. They belong to one call: a bot that is
// moved to a breakout room turns them on again there.
import { publicErrorOf } from '../../../kit/failure.ts'

/** Doubled after each failure. */
const FIRST_PAUSE_MS = 60_000
const MOST_TRIES = 5
const OTHERWISE = { code: 'captions_failed', message: 'The page of the meeting did not respond as expected' }

type CaptionTools = {
  /** Turns the captions of the present call on. Throws where that fails. */
  readonly turnOn: (language: string | null) => Promise<void>
  readonly onProblem: (message: string) => void
  readonly now: () => number
}

export class MeetingCaptions {
  /** Null: as the meeting has it. */
  language: string | null = null
  readonly #tools: CaptionTools
  #isRequested = false
  /** Null before the first look. */
  #call: string | null = null
  #moves = 0
  /** In the present call. */
  #isOn = false
  #isTrying = false
  #tries = 0
  #nextAt = 0

  constructor(tools: CaptionTools) {
    this.#tools = tools
  }

  async request(language: string | null): Promise<void> {
    await this.#turnOn(language)
    this.#isRequested = true
    this.language = language
  }

  /** Called with each look at the call. `isNeeded`: only captions can name its speakers. `call` is another word in each call. */
  async keep(isNeeded: boolean, call: string): Promise<void> {
    if (this.#call !== null && call !== this.#call) this.#move()
    this.#call = call
    const isWanted = (isNeeded || this.#isRequested) && !this.#isOn && !this.#isTrying
    if (!isWanted || this.#tries >= MOST_TRIES || this.#tools.now() < this.#nextAt) return
    this.#tries++
    await this.#turnOn(this.language).catch((error: unknown) => this.#postpone(error))
  }

  #move(): void {
    this.#moves++
    this.#isOn = false
    this.#tries = 0
    this.#nextAt = 0
  }

  async #turnOn(language: string | null): Promise<void> {
    const moves = this.#moves
    this.#isTrying = true
    try {
      await this.#tools.turnOn(language)
      this.#isOn = moves === this.#moves
    } finally {
      this.#isTrying = false
    }
  }

  /** Says so once in each call. */
  #postpone(error: unknown): void {
    this.#nextAt = this.#tools.now() + FIRST_PAUSE_MS * 2 ** (this.#tries - 1)
    if (this.#tries === 1) this.#tools.onProblem(`The captions could not be turned on: ${publicErrorOf(error, OTHERWISE).message}`)
  }
}
