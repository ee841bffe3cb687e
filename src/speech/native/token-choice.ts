// The next token: the most likely one, unless it would end what has not begun or go round in circles.
import { wouldLoop } from './repetition.ts'

export const END = 2

export type Choice = {
  readonly token: number
  readonly logProbability: number
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
  const top = logits[first] ?? 0
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - top)
  return { token, logProbability: (logits[token] ?? 0) - top - Math.log(sum), wasDoubted: said.length === 0 && first === END }
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
