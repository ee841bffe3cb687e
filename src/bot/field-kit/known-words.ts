// The words that may stay in a field kit: those of the driver's own code, which is public, and for the page's own sentences common English.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plain } from '../drivers/browser-meeting/facts.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Its words begin with this sign. Names begin with a capital. */
const ENGLISH = { file: join(ROOT, 'speech/native/vocabulary.txt'), word: /^▁([a-z]{2,})$/gm }
/** Words of meetings that the other lists lack. */
const MEETINGS = new Set(
  `admit admitted admitting blur camera cameras caption captions captcha chat cohost denied deny device devices dismiss ended folder guest guests
  host hosts invite invited invitation join joined joining leave left lobby login mic microphone microphones mute muted organizer organiser
  participant participants passcode permission permissions pin pinned presenter presenting preview raise reaction reactions reload remove removed
  retry scheduled settings share shared sharing signed signing speaker speakers subtitles transcript transcription turn unmute unmuted unpin
  video waiting webcam webinar whiteboard`.split(/\s+/),
)
/** Selectors name only a part of these. */
const MATCHED_BY_A_PART = ['recaptcha', 'hcaptcha']
const WORD = /[\p{L}\p{M}]+/gu
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

export type KnownWords = {
  /** A literal of the driver's code, as a whole. */
  isLiteral(text: string): boolean
  /** A word in a literal of the driver's code. */
  isOwn(word: string): boolean
  /** The same, or a common English word. */
  isCommon(word: string): boolean
  /** The sentences of the driver's code, in its normal form. */
  readonly sentences: readonly string[]
}

/** `folder`: of the driver, such as `google-meet`. Parsers compare messages with these literals, so a redacted message reads the same. */
export function knownWords(folder: string): KnownWords {
  const sources = [folder, 'browser-meeting'].flatMap((it) => sourcesIn(join(ROOT, 'bot/drivers', it)))
  const literals = new Set(sources.flatMap(literalsOf))
  const own = new Set([...MATCHED_BY_A_PART, ...[...literals].flatMap(wordsOf)])
  const english = new Set([...readFileSync(ENGLISH.file, 'utf8').matchAll(ENGLISH.word)].map(([, word = '']) => word))
  const isOwn = (word: string) => own.has(word.toLowerCase())
  return {
    isLiteral: (text) => literals.has(text),
    isOwn,
    isCommon: (word) => [...word].length === 1 || isOwn(word) || MEETINGS.has(word.toLowerCase()) || english.has(word.toLowerCase()),
    sentences: [...literals].filter((it) => /\s/.test(it.trim())).map(plain),
  }
}

export function wordsOf(text: string): readonly string[] {
  // camelCase counts as its parts, too.
  const split = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return [...`${text} ${split}`.matchAll(WORD)].map(([word]) => word.toLowerCase())
}

function sourcesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return files.map((name) => readFileSync(join(folder, name), 'utf8'))
}

function literalsOf(source: string): readonly string[] {
  return [...source.replaceAll(COMMENT, '').matchAll(LITERAL)].map(([, single, double, template]) => single ?? double ?? template ?? '')
}
