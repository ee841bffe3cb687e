// Tries the OBF tokens of several users in turn: Zoom admits the bot on behalf of a user who is in the meeting.
import { AUTHORISED_USER_ABSENT } from './report.ts'

/** Faults of one user's token. Another one may do. */
const OF_ONE_TOKEN: readonly number[] = [4014, 4015, AUTHORISED_USER_ABSENT, 4018]
/** After all tokens, as long as one of the users may still join. */
const NEXT_ROUND_MS = 5_000

export class TokenTurns {
  readonly #tokens: readonly string[]
  #at = 0
  #isAwaited = false

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get current(): string | undefined {
    return this.#tokens[this.#at]
  }

  /** A join was refused: after how many milliseconds another token is tried; null: the refusal is final. */
  nextMs(code: number): number | null {
    if (this.#tokens.length === 0 || !OF_ONE_TOKEN.includes(code)) return null
    this.#isAwaited ||= code === AUTHORISED_USER_ABSENT
    this.#at = (this.#at + 1) % this.#tokens.length
    if (this.#at > 0) return 0
    const isAwaited = this.#isAwaited
    this.#isAwaited = false
    return isAwaited ? NEXT_ROUND_MS : null
  }
}
