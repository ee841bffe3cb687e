// Parts of sentences: counted nouns and full stops.

/** `1 bot`, `2 bots`. The plural of the noun must be its singular and an s. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** The text with a full stop. */
export function sentenceOf(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
