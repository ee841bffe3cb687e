// The interface of a platform's link reader, and helpers that all readers share.

export type LinkProblem = {
  readonly kind: 'problem'
  readonly problem: 'bad_scheme' | 'unsupported_host' | 'not_a_meeting' | 'malformed'
  /** One sentence for the caller, beginning with the field name. */
  readonly message: string
}

/** The fields of every platform's link. */
export type LinkCore = {
  readonly kind: 'link'
  /** The identity of the meeting: links with the same platform and id lead to the same meeting. */
  readonly meetingId: string
  /** The address to join, built from checked parts, never the caller's own text. */
  readonly url: string
  /** A bot can join this kind of link. A valid link may be of a kind that no driver can join yet. */
  readonly joinable: boolean
  /** Why it cannot be joined; null when it can. */
  readonly reason: string | null
}

export type Asked = {
  readonly url: URL
  /** From a `(Passcode: 123456)` after the link. */
  readonly notedPasscode: string | null
  /** The address of this service's own rooms. */
  readonly roomBase: URL | null
}

export interface LinkReader<Link extends LinkCore> {
  /** The address is on one of this platform's hosts. */
  owns(asked: Asked): boolean
  read(asked: Asked): Link | LinkProblem
}

/** `predicate` continues a sentence that starts with `meeting_link`. */
export function problem(kind: LinkProblem['problem'], predicate: string): LinkProblem {
  return { kind: 'problem', problem: kind, message: `meeting_link ${predicate}` }
}

export function notAMeeting(page: string): LinkProblem {
  return problem('not_a_meeting', `is ${page}, not a meeting.`)
}

/** The host without a trailing dot. A port stays: a host with an unusual port is not the platform's. */
export function hostOf(url: URL): string {
  return url.host.endsWith('.') ? url.host.slice(0, -1) : url.host
}

/** True for the domain itself and its subdomains, never for a host that only contains it. */
export function isUnder(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && /^(?:[a-z\d-]+\.)+$/.test(host.slice(0, -domain.length)))
}

export function pathParts(url: URL): readonly string[] {
  return url.pathname.split('/').filter((part) => part !== '')
}

/** The text with one layer of percent-encoding removed, or null where the encoding is invalid. */
function decodedOnce(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null // A stray percent sign: the caller keeps the text.
  }
}

/** The text and its decodings: mail and calendar systems encode links up to three times. */
export function spellingsOf(text: string): readonly string[] {
  const spellings = [text]
  for (let layer = 0, current = text; layer < 3 && current.includes('%'); layer += 1) {
    const decoded = decodedOnce(current)
    if (decoded === null || decoded === current) break
    spellings.push(decoded)
    current = decoded
  }
  return spellings
}

/** The last decoding of the text. */
export function fullyDecoded(text: string): string {
  return spellingsOf(text).at(-1) ?? text
}

/** A passcode or token of a query: short printable ASCII. */
export function tokenIn(query: URLSearchParams, name: string): string | null {
  // A query reads "+" as a space; no passcode has spaces.
  const value = trimmedEnd(query.get(name)?.replaceAll(' ', '+') ?? '', '>)]"\',;')
  return /^[\x21-\x7e]{1,256}$/.test(value) ? value : null
}

/** Removes `characters` from the end. A regular expression for this takes quadratic time on hostile text. */
export function trimmedEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** `?a=1&b=2` for the values that are set, otherwise empty. */
export function queryText(values: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, value)
  return query.size === 0 ? '' : `?${query.toString()}`
}
