// Everything the page says, by language. The texts are the facts that count: a bot reads them.
import { GERMAN } from './words/de.ts'
import { ENGLISH, type Words } from './words/en.ts'
import { DUTCH } from './words/nl.ts'
import { CHINESE } from './words/zh.ts'

export type { Words }

export const WORDS = { en: ENGLISH, de: GERMAN, nl: DUTCH, zh: CHINESE } as const satisfies Readonly<Record<string, Words>>

export type Language = keyof typeof WORDS
export type JoinWord = keyof Words['join']
export type LobbyWord = keyof Words['lobby']
export type ScreenName = keyof Words['screens']
export type NetworkWord = keyof Words['network']
export type Consent = keyof Words['consents']

/** `de-AT` and `de` are German; whatever there is no column for is not known. */
export function languageOf(tag: string | null | undefined): Language | null {
  const short = tag?.toLowerCase().split(/[-_,;]/, 1)[0] ?? ''
  return Object.hasOwn(WORDS, short) ? (short as Language) : null
}

/** Nobody can tell from a text which of the two apostrophes it will have tomorrow. */
export function withApostrophes(words: Words, apostrophes: 'as_noted' | 'curly' | 'straight'): Words {
  if (apostrophes === 'as_noted') return words
  const text = JSON.stringify(words).replaceAll(/['’]/g, apostrophes === 'curly' ? '’' : "'")
  return JSON.parse(text) as Words
}
