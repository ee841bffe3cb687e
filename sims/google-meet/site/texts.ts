// All texts of the page, by language. Bots read them, so they are as in the field notes.
import { GERMAN } from './texts/de.ts'
import { ENGLISH, type Texts } from './texts/en.ts'
import { DUTCH } from './texts/nl.ts'
import { CHINESE } from './texts/zh.ts'

export type { Texts }

export const TEXTS = { en: ENGLISH, de: GERMAN, nl: DUTCH, zh: CHINESE } as const satisfies Readonly<Record<string, Texts>>

export type Language = keyof typeof TEXTS
export type JoinText = keyof Texts['join']
export type LobbyText = keyof Texts['lobby']
export type ScreenName = keyof Texts['screens']
export type NetworkText = keyof Texts['network']
export type Consent = keyof Texts['consents']

/** `de-AT` and `de` are German. Other tags are unknown. */
export function languageOf(tag: string | null | undefined): Language | null {
  const short = tag?.toLowerCase().split(/[-_,;]/, 1)[0] ?? ''
  return Object.hasOwn(TEXTS, short) ? (short as Language) : null
}

/** Meet changes between both apostrophes. */
export function withApostrophes(texts: Texts, apostrophes: 'as_noted' | 'curly' | 'straight'): Texts {
  if (apostrophes === 'as_noted') return texts
  const text = JSON.stringify(texts).replaceAll(/['’]/g, apostrophes === 'curly' ? '’' : "'")
  return JSON.parse(text) as Texts
}
