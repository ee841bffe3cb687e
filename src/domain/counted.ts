// Texts that are put together from parts, in whole sentences.

/** `1 bot`, `2 bots`. The plural of the noun must be its singular and an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A sentence, with its full stop. */
export function sentenceOf(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
