// Everything that was seen of the page at one moment.
import type { ControlName } from './tables.ts'

export type Facts = {
  readonly url: string
  /** What the page itself says, without what participants say in it. */
  readonly words: string
  /** The same, made plain. */
  readonly text: string
  /** Controls that can be seen and pressed. */
  readonly visible: ReadonlySet<ControlName>
  /** Controls that are there, be it behind a toolbar that has hidden itself. */
  readonly present: ReadonlySet<ControlName>
  /** What stands in the field for the name. */
  readonly typed: string
  /** A puzzle that is large enough to be solved. Invisible ones mean nothing. */
  readonly captcha: boolean
  readonly people: readonly SeenPerson[]
}

export type SeenPerson = { readonly id: string; readonly name: string; readonly isSelf: boolean }

const LONGEST_EXCERPT = 200

/** Reads what the page's look returned. A page between two addresses returns null. */
export function factsOf(seen: unknown, url: string): Facts {
  const at = (name: string): unknown => Reflect.get(Object(seen), name)
  const names = (list: unknown) => new Set(listOf(list).map(String))
  return {
    url,
    words: textOf(at('text')),
    text: plain(textOf(at('text'))),
    visible: names(at('visible')),
    present: names(at('present')),
    typed: textOf(at('typed')),
    captcha: at('captcha') === true,
    people: listOf(at('people')).map((it) => {
      const of = (name: string): unknown => Reflect.get(Object(it), name)
      return { id: textOf(of('id')), name: textOf(of('name')), isSelf: of('isSelf') === true }
    }),
  }
}

/** In lower case, with straight apostrophes and single spaces; lines stay lines. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[’‘ʼ]/g, "'")
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[\s]*/g, '\n')
    .trim()
}

/** Neither words nor controls. */
export function isEmpty({ text, present }: Facts): boolean {
  return text === '' && present.size === 0
}

/** What of it a person would read first, for a message. */
export function excerpt({ words, url }: Facts): string {
  const line = words
    .trim()
    .replaceAll(/\s*\n\s*/g, ' / ')
    .slice(0, LONGEST_EXCERPT)
  return line === '' ? `an empty page at ${hostOf(url) || url}` : `“${line}”`
}

export function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
