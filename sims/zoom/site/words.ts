// The texts of the clients, by language.
import { GERMAN } from './words/de.ts'
import { ENGLISH, type Words } from './words/en.ts'
import { DUTCH } from './words/nl.ts'
import { CHINESE } from './words/zh.ts'

export type { Words }

export const WORDS: Readonly<Record<'en' | 'de' | 'nl' | 'zh', Words>> = { en: ENGLISH, de: GERMAN, nl: DUTCH, zh: CHINESE }

/** The names of their files in the SDK. */
export const LANGUAGE_FILES: Readonly<Record<keyof typeof WORDS, string>> = { en: 'en-US', de: 'de-DE', nl: 'nl-NL', zh: 'zh-CN' }
