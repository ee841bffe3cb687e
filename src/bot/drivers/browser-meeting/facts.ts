// A snapshot of the page.
import { at, listAt, textAt } from './json-fields.ts'
import type { ControlName } from './page-rules.ts'

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
  /** The text where the page shows the name of a breakout room. */
  readonly room: string
}

export type SeenPerson = {
  readonly id: string
  readonly name: string
  readonly isSelf: boolean
  /** Audio streams that the page's tile names, in digits. */
  readonly sources: readonly string[]
  /** The room with merged audio in which the participant sits; null: none. */
  readonly room: string | null
}

const LONGEST_EXCERPT = 200

/** Parses the page's snapshot, which is null during a navigation. `nested`: the text of frames, with which that of shadow roots counts. */
export function factsOf(seen: unknown, url: string, nested: string | null = null): Facts {
  const texts = [textAt(seen, 'text'), ...(nested === null ? [] : [textAt(seen, 'shadow'), nested])]
  const words = texts.filter((it) => it !== '').join('\n')
  const names = (field: string) => new Set(listAt(seen, field).map(String))
  return {
    url,
    words,
    text: plain(words),
    visible: names('visible'),
    present: names('present'),
    typed: textAt(seen, 'typed'),
    typedPasscode: textAt(seen, 'typedPasscode'),
    captcha: at(seen, 'captcha') === true,
    room: textAt(seen, 'room'),
    people: listAt(seen, 'people').map((it) => ({
      id: textAt(it, 'id'),
      name: textAt(it, 'name'),
      isSelf: at(it, 'isSelf') === true,
      sources: listAt(it, 'sources').map(String),
      room: textAt(it, 'room') || null,
    })),
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

export function pathOf(url: string): string {
  return URL.parse(url)?.pathname ?? ''
}
