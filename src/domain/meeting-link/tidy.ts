// Extracts one URL from pasted text: removes quotes, brackets and passcode notes, and unwraps redirects.
import { hostOf, isUnder, type LinkProblem, problem, trimmedEnd } from './reader.ts'

type Tidied = {
  readonly kind: 'url'
  readonly url: URL
  readonly notedPasscode: string | null
  /** The text holds more than one link. */
  readonly several: boolean
}

const BLANKS = ' \t\r\n\u00a0\u200b\u200e\u200f\u2060\ufeff'
const OPENING = `<([{"'\`“”‘’«»${BLANKS}`
const CLOSING = `>)]"'\`“”‘’«»${BLANKS}.,;:!`
const PASSCODE_NOTE = /^[([]?(?:meeting )?(?:passcode|password|pwd) ?[:=]? ?([\x21-\x7e]{1,64})$/i
/** Wrappers may nest (a mail filter around a calendar's redirect), but only a few levels. */
const MOST_WRAPPERS = 3

const WRAPPERS: readonly { readonly owns: (url: URL) => boolean; readonly targets: readonly string[] }[] = [
  { owns: (url) => ['google.com', 'www.google.com'].includes(hostOf(url)) && url.pathname === '/url', targets: ['q', 'url'] },
  { owns: (url) => isUnder(hostOf(url), 'safelinks.protection.outlook.com'), targets: ['url'] },
  { owns: (url) => isUnder(hostOf(url), 'safelinks.protection.office365.us'), targets: ['url'] },
]

/** The one URL in the text, unwrapped, or the problem with it. */
export function tidy(text: string): Tidied | LinkProblem {
  let current = text
  let notedPasscode: string | null = null
  for (let depth = 0; depth <= MOST_WRAPPERS; depth += 1) {
    const parts = linkAndNote(current)
    if (parts.kind === 'problem') return parts
    notedPasscode ??= parts.notedPasscode
    const url = toUrl(parts.link)
    if (!(url instanceof URL)) return url

    const wrapper = WRAPPERS.find(({ owns }) => owns(url))
    if (!wrapper) return { kind: 'url', url, notedPasscode, several: /https?:[/\\]{2}/i.test(parts.link.slice(1)) }
    const target = wrapper.targets.map((name) => url.searchParams.get(name)).find((value) => value !== null && value !== '')
    if (!target) return problem('not_a_meeting', 'is a redirect without a target.')
    current = target
  }
  return problem('malformed', 'is wrapped in too many redirects.')
}

function linkAndNote(text: string): { kind: 'parts'; link: string; notedPasscode: string | null } | LinkProblem {
  const bare = trimmedEnd(trimmedStart(text, OPENING), CLOSING)
  if (bare === '') return problem('malformed', 'is required.')
  if (schemeOf(bare) === 'other') return problem('bad_scheme', 'must use http or https.')
  const end = bare.search(/[\s(]/)
  if (end < 0) return { kind: 'parts', link: bare, notedPasscode: null }

  const note = PASSCODE_NOTE.exec(bare.slice(end).split(/\s+/).join(' ').trim())
  if (!note?.[1]) return problem('malformed', 'must be one link and nothing else.')
  return { kind: 'parts', link: trimmedEnd(bare.slice(0, end), CLOSING), notedPasscode: note[1] }
}

function schemeOf(link: string): 'http' | 'none' | 'other' {
  const [, name = '', digit = '', blank = ''] = /^([a-z][a-z0-9+.-]*):(?:(\d)|(\s|$))?/i.exec(link) ?? []
  // `zoom.us:443/j/1` has a port; `Join: https://...` is a sentence.
  if (name === '' || (name.includes('.') && digit !== '') || blank !== '') return 'none'
  return /^https?$/i.test(name) ? 'http' : 'other'
}

function toUrl(link: string): URL | LinkProblem {
  const url = URL.parse(schemeOf(link) === 'http' ? link : `https://${trimmedStart(link, '/')}`)
  if (!url || url.hostname === '') return problem('malformed', 'is not a valid URL.')
  // `https://meet.google.com@evil.example/` shows one host and goes to another.
  if (url.username !== '' || url.password !== '') return problem('malformed', 'must not carry a user name or password.')
  return url
}

function trimmedStart(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text.charAt(start))) start += 1
  return text.slice(start)
}
