// Messages for the terminal, on stderr. Stdout is for logs and command output.
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

export function complain(sentence: string): void {
  process.stderr.write(`\nEmissary cannot go on.\n${sentence}\n`)
}

/** Prints why the command failed. The process exits with 1 when it ends. */
export function failWith(sentence: string): void {
  complain(sentence)
  process.exitCode = 1
}

export async function failOnError(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    failWith(sentenceOf(error))
  }
}

/** The message of an error, with the cause if the database is unreachable. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // An AggregateError of refused connections has a code but no message.
  const own = error.message || (error as NodeJS.ErrnoException).code || error.name
  return error.name === 'DatabaseUnreachable' ? `${own}: ${sentenceOf(error.cause)}` : own
}
