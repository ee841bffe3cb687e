// Chooses the most likely next token, except an end before any text and a token that would complete a loop.
import { wouldLoop } from './repetition.ts'

export const END = 2

export type Choice = {
  readonly token: number
  /** The first choice was to end before any text. */
  readonly firstChoiceWasEnd: boolean
}

export function chooseToken(logits: Float32Array, tokensSoFar: readonly number[]): Choice {
  const first = likeliest(logits, new Set())
  const refused = new Set<number>()
  let token = first
  while (isRefused(token, tokensSoFar)) {
    refused.add(token)
    token = likeliest(logits, refused)
  }
  return { token, firstChoiceWasEnd: tokensSoFar.length === 0 && first === END }
}

/** All tokens together that are less likely than this change a probability by less than a thousandth of a percent. */
const NEGLIGIBLE = -22

/** Plain loops here and below: both run over the whole vocabulary for every token. */
export function logProbabilityOf(logits: Float32Array, token: number): number {
  let top = Number.NEGATIVE_INFINITY
  for (let at = 0; at < logits.length; at++) top = Math.max(top, logits[at] ?? top)
  let sum = 0
  for (let at = 0; at < logits.length; at++) {
    const below = (logits[at] ?? 0) - top
    if (below > NEGLIGIBLE) sum += Math.exp(below)
  }
  return (logits[token] ?? 0) - top - Math.log(sum)
}

/** The model sometimes ends at once although there is speech. Forced to continue, it then recognised every word. */
function isRefused(token: number, tokensSoFar: readonly number[]): boolean {
  return token === END ? tokensSoFar.length === 0 : wouldLoop(tokensSoFar, token)
}

function likeliest(logits: Float32Array, refused: ReadonlySet<number>): number {
  let best = -1
  let most = Number.NEGATIVE_INFINITY
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? most
    if (logit <= most || refused.has(token)) continue
    most = logit
    best = token
  }
  return best
}
