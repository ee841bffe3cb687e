// Words for the person at the terminal. Standard output is left to logs and to answers of commands.
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

export function complain(sentence: string): void {
  process.stderr.write(`\nEmissary cannot go on.\n${sentence}\n`)
}

/** An error and what caused it, such as: The database cannot be reached: connect ECONNREFUSED 127.0.0.1:5432 */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A refused connection to several addresses has a code but no message.
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name
  return error.name === 'DatabaseUnreachable' ? `${own}: ${sentenceOf(error.cause)}` : own
}
