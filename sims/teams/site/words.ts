// The texts of the page, by language.
import { GERMAN } from './words/de.ts'
import { BRITISH, ENGLISH, type Words } from './words/en.ts'
import { DUTCH } from './words/nl.ts'
import { CHINESE } from './words/zh.ts'

export type { Words }

export const WORDS = { 'en-US': ENGLISH, 'en-GB': BRITISH, de: GERMAN, nl: DUTCH, zh: CHINESE } as const satisfies Readonly<
  Record<string, Words>
>

export type Language = keyof typeof WORDS
export type ScreenName = keyof Words['screens']
export type LobbyWord = keyof Words['lobby']
export type NotStartedWord = keyof Words['notStarted']
export type JoinWord = keyof Words['join']
export type NetworkWord = keyof Words['network']
export type AloneWord = keyof Words['alone']

/** The first language that a browser asks for; English where there are no texts for it. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const tag = acceptLanguage?.split(/[,;]/, 1)[0]?.trim() ?? ''
  if (/^en-gb$/i.test(tag)) return 'en-GB'
  const short = tag.toLowerCase().split('-', 1)[0] ?? ''
  return short !== 'en' && Object.hasOwn(WORDS, short) ? (short as Language) : 'en-US'
}

/** The live page uses either apostrophe for the same text. */
export function withApostrophes(words: Words, apostrophes: 'as_noted' | 'curly' | 'straight'): Words {
  if (apostrophes === 'as_noted') return words
  return JSON.parse(JSON.stringify(words).replaceAll(/['’]/g, apostrophes === 'curly' ? '’' : "'")) as Words
}
