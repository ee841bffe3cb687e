// The text of one segment while it is decoded, token by token.
import { chooseToken, END, logProbabilityOf } from './token-choice.ts'

/** Fast speech has about four tokens a second. A decoder that produces more is repeating itself. */
const MOST_TOKENS_PER_SECOND = 6.5
const LEAST_TOKENS = 6

export type DecodedToken = {
  readonly token: number
  readonly logProbability: number
  /** One weight for each audio frame; the sum is one. */
  readonly attention: Float32Array
}

export type Decoded = {
  readonly tokens: readonly DecodedToken[]
  readonly frames: number
  /** The model's first choice was to end without any text. */
  readonly firstChoiceWasEnd: boolean
}

/** The model's answer after one token of its input. */
export type Answer = { readonly logits: Float32Array; readonly attention: () => Float32Array }

export class Hypothesis implements Decoded {
  readonly tokens: DecodedToken[] = []
  readonly frames: number
  firstChoiceWasEnd = false
  isOver = false
  readonly #mostTokens: number

  constructor(frames: number, seconds: number) {
    this.frames = frames
    this.#mostTokens = Math.max(LEAST_TOKENS, Math.ceil(seconds * MOST_TOKENS_PER_SECOND))
  }

  /** The last answer is for the next token, and those before it are for tokens that were known. Returns the next token. */
  add(known: readonly number[], answers: readonly Answer[]): number {
    if (this.isOver) return END
    for (const [at, token] of known.entries()) this.#push(token, answers[at])
    const last = answers.at(-1)
    const choice = chooseToken(
      last?.logits ?? new Float32Array(0),
      this.tokens.map(({ token }) => token),
    )
    if (choice.token !== END) {
      this.firstChoiceWasEnd ||= choice.firstChoiceWasEnd
      this.#push(choice.token, last)
    }
    this.isOver = choice.token === END || this.tokens.length >= this.#mostTokens
    return choice.token
  }

  #push(token: number, answer: Answer | undefined): void {
    if (answer) this.tokens.push({ token, logProbability: logProbabilityOf(answer.logits, token), attention: answer.attention() })
  }
}
