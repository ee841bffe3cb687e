// Words for the person at the terminal. Standard output is left to logs and to answers of commands.
export function say(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
}

export function complain(sentence: string): void {
  process.stderr.write(`\nEmissary cannot go on.\n${sentence}\n`)
}
