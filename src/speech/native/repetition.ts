// Detects a decoder that loops. People repeat themselves too, but not for this long.

/** A phrase that is repeated this often and fills at least `LEAST_TOKENS` tokens is a loop. */
const MOST_TIMES = 4
const LEAST_TOKENS = 12
const LONGEST_PHRASE = 24

/** True: `next` would complete a loop. */
export function wouldLoop(tokensSoFar: readonly number[], next: number): boolean {
  const tokens = [...tokensSoFar.slice(-MOST_TIMES * LONGEST_PHRASE), next]
  for (let length = 1; length <= LONGEST_PHRASE; length++) {
    const loop = length * Math.max(MOST_TIMES, Math.ceil(LEAST_TOKENS / length))
    if (loop <= tokens.length && repeats(tokens.slice(-loop), length)) return true
  }
  return false
}

function repeats(tokens: readonly number[], length: number): boolean {
  return tokens.every((token, at) => at < length || token === tokens[at - length])
}
