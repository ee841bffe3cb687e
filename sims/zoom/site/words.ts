// The texts of the clients, by language.
import { GERMAN } from './words/de.ts'
import { ENGLISH, type Words } from './words/en.ts'
import { DUTCH } from './words/nl.ts'
import { CHINESE } from './words/zh.ts'

export type { Words }

export const WORDS: Readonly<Record<'en' | 'de' | 'nl' | 'zh', Words>> = { en: ENGLISH, de: GERMAN, nl: DUTCH, zh: CHINESE }

/** The names of their files in the SDK. */
export const LANGUAGE_FILES: Readonly<Record<keyof typeof WORDS, string>> = { en: 'en-US', de: 'de-DE', nl: 'nl-NL', zh: 'zh-CN' }

/** The first language that a browser asks for; English where there are no texts for it. */
export function languageOf(acceptLanguage: string | undefined): keyof typeof WORDS {
  const short = acceptLanguage?.trim().slice(0, 2).toLowerCase() ?? ''
  return Object.hasOwn(WORDS, short) ? (short as keyof typeof WORDS) : 'en'
}
