// A snapshot of the page.
import type { ControlName } from './tables.ts'

export type Facts = {
  readonly url: string
  /** The page's own text, without the messages of participants. */
  readonly words: string
  /** The page's own text, normalised. */
  readonly text: string
  /** Controls that are visible and can be pressed. */
  readonly visible: ReadonlySet<ControlName>
  /** Controls that exist, even in a hidden toolbar. */
  readonly present: ReadonlySet<ControlName>
  /** The content of the name field. */
  readonly typed: string
  /** The content of the passcode field. */
  readonly typedPasscode: string
  /** A captcha large enough to be solved. Invisible ones are ignored. */
  readonly captcha: boolean
  readonly people: readonly SeenPerson[]
}

export type SeenPerson = { readonly id: string; readonly name: string; readonly isSelf: boolean }

const LONGEST_EXCERPT = 200

/** Parses the page's snapshot, which is null during a navigation. */
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
    typedPasscode: textOf(at('typedPasscode')),
    captcha: at('captcha') === true,
    people: listOf(at('people')).map((it) => {
      const of = (name: string): unknown => Reflect.get(Object(it), name)
      return { id: textOf(of('id')), name: textOf(of('name')), isSelf: of('isSelf') === true }
    }),
  }
}

/** In lower case, with straight apostrophes and single spaces. Line breaks stay. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[’‘ʼ]/g, "'")
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[\s]*/g, '\n')
    .trim()
}

/** Neither text nor controls. */
export function isEmpty({ text, present }: Facts): boolean {
  return text === '' && present.size === 0
}

/** The beginning of the page's text, for a message. A countdown is left out: it is different each time, and wrong when it is read. */
export function excerpt({ words, url }: Facts): string {
  const lines = linesOf(words)
  const steady = lines.map(withoutCountdowns).filter((line) => line !== '')
  const quoted = steady.length > 0 ? steady : lines.map((line) => line.replace(COUNTDOWN, ''))
  const line = quoted.join(' / ').slice(0, LONGEST_EXCERPT)
  return line === '' ? `an empty page at ${hostOf(url) || url}` : `“${line}”`
}

/** At the end of a sentence: `in 57`, `in 0:57`, `in 59 seconds`. */
const COUNTDOWN = /\sin \d{1,3}(?::\d\d)?(?: ?(?:s|secs?|seconds?))?[.…!]*$/i

/** The lines that are not blank. A page may show the number of a countdown in an element of its own. */
function linesOf(words: string): string[] {
  const joined = words.replaceAll(/\bin\s+(\d)/gi, 'in $1').replaceAll(/(\bin \d+)\s+(s|secs?|seconds?)\b/gi, '$1 $2')
  return joined
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function withoutCountdowns(line: string): string {
  const sentences = line.split(/(?<=[.!?…]) /)
  return sentences.filter((sentence) => !COUNTDOWN.test(sentence)).join(' ')
}

export function hostOf(url: string): string {
  return URL.parse(url)?.hostname ?? ''
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
