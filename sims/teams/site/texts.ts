// The texts of the page, by language.
import { GERMAN } from './texts/de.ts'
import { BRITISH, ENGLISH, type Texts } from './texts/en.ts'
import { DUTCH } from './texts/nl.ts'
import { CHINESE } from './texts/zh.ts'

export type { Texts }

export const TEXTS = { 'en-US': ENGLISH, 'en-GB': BRITISH, de: GERMAN, nl: DUTCH, zh: CHINESE } as const satisfies Readonly<
  Record<string, Texts>
>

export type Language = keyof typeof TEXTS
export type ScreenName = keyof Texts['screens']
export type LobbyText = keyof Texts['lobby']
export type NotStartedText = keyof Texts['notStarted']
export type JoinText = keyof Texts['join']
export type NetworkText = keyof Texts['network']
export type AloneText = keyof Texts['alone']

/** The browser's first language, or English if there are no texts for it. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const tag = acceptLanguage?.split(/[,;]/, 1)[0]?.trim() ?? ''
  if (/^en-gb$/i.test(tag)) return 'en-GB'
  const short = tag.toLowerCase().split('-', 1)[0] ?? ''
  return short !== 'en' && Object.hasOwn(TEXTS, short) ? (short as Language) : 'en-US'
}

/** The live page uses either apostrophe for the same text. */
export function withApostrophes(texts: Texts, apostrophes: 'as_noted' | 'curly' | 'straight'): Texts {
  if (apostrophes === 'as_noted') return texts
  return JSON.parse(JSON.stringify(texts).replaceAll(/['’]/g, apostrophes === 'curly' ? '’' : "'")) as Texts
}
