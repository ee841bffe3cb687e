// The next token: the most likely one, unless it would end what has not begun or go round in circles.
import { wouldLoop } from './repetition.ts'

export const END = 2

export type Choice = {
  readonly token: number
  /** The first choice was to end before anything was said. */
  readonly wasDoubted: boolean
}

export function chooseToken(logits: Float32Array, said: readonly number[]): Choice {
  const first = likeliest(logits, new Set())
  const refused = new Set<number>()
  let token = first
  while (isRefused(token, said)) {
    refused.add(token)
    token = likeliest(logits, refused)
  }
  return { token, wasDoubted: said.length === 0 && first === END }
}

export function logProbabilityOf(logits: Float32Array, token: number): number {
  const top = logits.reduce((most, logit) => Math.max(most, logit), Number.NEGATIVE_INFINITY)
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - top)
  return (logits[token] ?? 0) - top - Math.log(sum)
}

/** Sound with speech in it was once in a while answered by nothing; asked to go on, the model then heard every word. */
function isRefused(token: number, said: readonly number[]): boolean {
  return token === END ? said.length === 0 : wouldLoop(said, token)
}

function likeliest(logits: Float32Array, refused: ReadonlySet<number>): number {
  let best = -1
  let most = Number.NEGATIVE_INFINITY
  for (const [token, logit] of logits.entries()) {
    if (logit <= most || refused.has(token)) continue
    most = logit
    best = token
  }
  return best
}
