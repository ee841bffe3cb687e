// A decoder that has lost its way says the same again and again. People repeat themselves too, but not that long.

/** A phrase that has been said this often, and filled at least so many tokens, is a loop. */
const MOST_TIMES = 4
const LEAST_TOKENS = 12
const LONGEST_PHRASE = 24

/** Whether `next` would complete yet another repetition of what was said last. */
export function wouldLoop(said: readonly number[], next: number): boolean {
  const tokens = [...said.slice(-MOST_TIMES * LONGEST_PHRASE), next]
  for (let length = 1; length <= LONGEST_PHRASE; length++) {
    const loop = length * Math.max(MOST_TIMES, Math.ceil(LEAST_TOKENS / length))
    if (loop <= tokens.length && repeats(tokens.slice(-loop), length)) return true
  }
  return false
}

function repeats(tokens: readonly number[], length: number): boolean {
  return tokens.every((token, at) => at < length || token === tokens[at - length])
}
