// Word errors: words that are wrong, missing or superfluous, of all that were spoken.

export function spokenWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z' ]+/g, ' ')
    .split(' ')
    .filter((word) => word !== '')
}

export function wordErrors(said: readonly string[], found: readonly string[]): number {
  let above = found.map((_, at) => at + 1)
  above.unshift(0)
  for (const [row, word] of said.entries()) {
    const current = [row + 1]
    for (const [column, other] of found.entries()) {
      const replaced = (above[column] ?? 0) + (word === other ? 0 : 1)
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    above = current
  }
  return above.at(-1) ?? 0
}
