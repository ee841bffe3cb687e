// Replaces what is private by placeholders. Equal inputs get equal placeholders, so that messages still refer to each other.
import { OWN_NAME } from '../../domain/field-kit.ts'
import { plain } from '../drivers/browser-meeting/facts.ts'
import { type KnownWords, wordsOf } from './known-words.ts'

/** Whose text it is. The page's own may keep common words, that among people only words of the driver's code, their talk none. */
export type Privacy = 'page' | 'people' | 'talk'

/** Without spaces, and with a digit or a separator. */
const ID = /^(?=.*[\d./:@_=-])[^\s<>"'{}]+$/
const CODE = /^[A-Za-z][\w-]*$/
const ADDRESS = /[^\s@"'<>(]+@[^\s@"'<>)]+/g
const LINK = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi
/** Meeting numbers, telephone numbers and PINs, with their separators. */
const DIGITS = /\+?\d(?:[\s().-]{0,2}\d){4,}/g
const WORD = /[\p{L}\p{M}]+/gu
/** Numbers in texts that are this long are hidden, unless they are also sent as numbers. */
const LONGEST_PLAIN_NUMBER = 4
/** Zoom numbers the streams of a participant from the participant's own number, in steps of this. */
const BLOCK = { size: 1_024, from: 2 ** 24 }
const LEAST_SECRET = 3

export class Pseudonyms {
  readonly #known: KnownWords
  /** Placeholders by what they stand for. */
  readonly #placeholders = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  /** Secrets that page texts may contain. */
  readonly #secrets = new Set<string>()
  readonly #numbers = new Set<number>()
  #pattern: RegExp | null = null

  constructor(known: KnownWords) {
    this.#known = known
  }

  /** Everything that must not be found in the kit. */
  get secrets(): readonly string[] {
    return [...this.#secrets].filter((it) => it.length > LEAST_SECRET && !this.#known.isLiteral(it) && !this.#known.isCommon(it))
  }

  /** `kind` names the placeholder: `Person`, `Text`. */
  learn(kind: string, given: string): void {
    const secret = given.trim()
    if (secret.length < 2 || secret === OWN_NAME || this.#known.isLiteral(secret) || this.#placeholders.get(secret)?.startsWith(kind))
      return
    this.#alias(secret, this.#next(kind))
    this.#addSecret(secret)
  }

  /** The bot's own name, by which parsers find the bot among the participants. */
  learnOwnName(name: string): void {
    this.#alias(name, OWN_NAME)
    if (name !== OWN_NAME) this.#addSecret(name)
  }

  #alias(secret: string, placeholder: string): void {
    this.#placeholders.set(secret, placeholder)
    for (const encoding of ['base64', 'base64url'] as const)
      this.#placeholders.set(Buffer.from(secret).toString(encoding), Buffer.from(placeholder).toString(encoding))
  }

  /** A part of the meeting's link. */
  learnPart(part: string): void {
    const isWord = wordsOf(part).every((word) => this.#known.isOwn(word)) && !/\d{4}/.test(part)
    if (!isWord && part.length > LEAST_SECRET) this.learn('Link', part)
  }

  learnPerson(name: string): void {
    this.learn('Person', name)
    const placeholder = this.#placeholders.get(name.trim())
    // A page may show only the first name.
    for (const part of placeholder === undefined ? [] : name.split(/\s+/)) {
      if (part.length < LEAST_SECRET || this.#known.isLiteral(part) || this.#placeholders.has(part)) continue
      this.#placeholders.set(part, placeholder ?? '')
      this.#addSecret(part)
    }
  }

  /** A number that is sent as one, for example a media source: it stays, in texts, too. */
  learnNumber(value: number): void {
    this.#numbers.add(value)
    if (value >= BLOCK.from) this.#numbers.add(-Math.floor(value / BLOCK.size))
  }

  number(value: number): number {
    return this.#placeholders.has(String(value)) ? Number(this.#digits(String(value))) : value
  }

  /** A text of a message. Nothing of it stays but literals of the driver's code, and the separators of ids. */
  text(text: string): string {
    if (text === '' || this.#known.isLiteral(text)) return text
    const placeholder = this.#placeholders.get(text) ?? this.#placeholders.get(text.trim())
    if (placeholder !== undefined) return placeholder
    if (ID.test(text)) return this.id(text)
    // Most single words are the platform's own, such as `recvonly`. Pages hide the others by themselves.
    if (CODE.test(text)) return wordsOf(text).every((word) => this.#known.isOwn(word)) ? text : this.#named('Text', text)
    this.learn('Text', text)
    return this.#placeholders.get(text.trim()) ?? this.#named('Text', text)
  }

  /** A name in the page's code, or of a field. */
  code(name: string): string {
    const isPrivate = this.#placeholders.has(name) || name.split(/[^\p{L}\p{N}]+/u).some((part) => this.#secrets.has(part))
    return isPrivate ? this.id(name) : name
  }

  /** Keeps the separators, and the words of the driver's code. */
  id(text: string): string {
    return text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, (part) => {
      if (/^\d+$/.test(part)) return this.#digits(part)
      return this.#known.isOwn(part) ? part : (this.#placeholders.get(part)?.replaceAll(' ', '-') ?? this.#named('x', part))
    })
  }

  /** A text of the page. */
  pageText(text: string, privacy: Privacy): string {
    if (text.trim() === '') return text
    if (privacy === 'talk') return this.#saidAs(text)
    const plainText = plain(text)
    const own = this.#known.sentences.filter((it) => plainText.includes(it))
    const outside = (part: string) =>
      part
        .replaceAll(LINK, '[link]')
        .replaceAll(ADDRESS, '[address]')
        .replaceAll(DIGITS, (digits) => digits.replaceAll(/\d/g, '0'))
        .replaceAll(WORD, (word, at: number) => (this.#isKept(word, privacy, part.slice(0, at)) ? word : this.#named('▒', word)))
    // A person may be called like a word of the page's own sentence.
    const isOwnWord = (secret: string) => own.some((it) => it.split(/\P{L}+/u).includes(secret.toLowerCase()))
    return this.#split(text, outside, isOwnWord)
  }

  /** A capital within a sentence is that of a name. */
  #isKept(word: string, privacy: Privacy, before: string): boolean {
    if (word === OWN_NAME || this.#known.isOwn(word)) return true
    const isName = /^\p{Lu}/u.test(word) && !/(?:^|[.!?…:\n])\s*$/.test(before)
    return privacy === 'page' && !isName && this.#known.isCommon(word)
  }

  /** Around the text there may be spaces. */
  #saidAs(text: string): string {
    return text.replace(text.trim(), () => this.text(text.trim()))
  }

  #split(text: string, outside: (part: string) => string, isOwnWord: (secret: string) => boolean): string {
    const pattern = this.#patternOf()
    if (!pattern) return outside(text)
    return text
      .split(pattern)
      .map((part, index) => (index % 2 === 1 && !isOwnWord(part) ? this.#placeholderOf(part) : outside(part)))
      .join('')
  }

  #placeholderOf(secret: string): string {
    const exact = this.#placeholders.get(secret)
    if (exact !== undefined) return exact
    const [, placeholder] = [...this.#placeholders].find(([it]) => it.toLowerCase() === secret.toLowerCase()) ?? []
    return placeholder ?? this.#named('▒', secret)
  }

  #patternOf(): RegExp | null {
    if (this.#secrets.size === 0) return null
    const byLength = [...this.#secrets].toSorted((one, other) => other.length - one.length)
    // A name that is a common word counts only as it is written.
    const written = byLength.map(
      (it) => `(?<![\\p{L}\\p{N}])${this.#known.isCommon(it) ? literally(it) : `(?i:${literally(it)})`}(?![\\p{L}\\p{N}])`,
    )
    this.#pattern ??= new RegExp(`(${written.join('|')})`, 'u')
    return this.#pattern
  }

  #addSecret(secret: string): void {
    this.#secrets.add(secret)
    this.#pattern = null
  }

  #digits(digits: string): string {
    const known = this.#placeholders.get(digits)
    const isSent = this.#numbers.has(Number(digits)) || this.#numbers.has(-Math.floor(Number(digits) / BLOCK.size))
    if (known === undefined && (digits.length <= LONGEST_PLAIN_NUMBER || isSent)) return digits
    const count = this.#named('0', digits).slice(1)
    return count.padStart(digits.length, '0').replace(/^0/, '1')
  }

  /** The same number for equal texts. */
  #named(kind: string, text: string): string {
    const key = `${kind}\0${text}`
    const known = this.#placeholders.get(key)
    if (known !== undefined) return known
    const placeholder = this.#next(kind)
    this.#placeholders.set(key, placeholder)
    return placeholder
  }

  #next(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    return kind.length > 1 ? `${kind} ${count}` : `${kind}${count}`
  }
}

function literally(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}
