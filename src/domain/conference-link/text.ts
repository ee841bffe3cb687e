// Links in calendar texts: inside prose, inside HTML, and inside the redirects of mail filters.

const MOST_TEXT = 100_000
const MOST_LINKS = 50
const MOST_WRAPPERS = 4

/** The links of a text in order, each unwrapped. A text may be just one link without a scheme. */
export function linksIn(text: string): readonly string[] {
  const plain = withoutEntities(text.slice(0, MOST_TEXT))
  const found = [...plain.matchAll(/https?:\/\/[^\s<>"'`\\^{|}]+/gi)].slice(0, MOST_LINKS).map(([link]) => unwrapped(trimmed(link)))
  const bare = plain.trim()
  if (found.length === 0 && /^[\w-]+(\.[\w-]+)+\/\S+$/.test(bare)) found.push(`https://${bare}`)
  return [...new Set(found)]
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Unescapes twice: calendars often escape HTML that was already escaped. */
function withoutEntities(text: string): string {
  return decodedEntities(decodedEntities(text))
}

function decodedEntities(text: string): string {
  return text.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (entity, name, decimal, hex) => {
    if (name) return ENTITIES[String(name).toLowerCase()] ?? entity
    const point = decimal ? Number(decimal) : Number.parseInt(hex, 16)
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : entity
  })
}

/** Removes sentence punctuation, and a closing bracket that was opened before the link. */
function trimmed(link: string): string {
  let end = link.length
  while (end > 0 && '.,;:!?)]*_~'.includes(link.charAt(end - 1))) {
    if (link.charAt(end - 1) === ')' && link.slice(0, end - 1).includes('(')) break
    end -= 1
  }
  return link.slice(0, end)
}

type Wrapper = { readonly host: RegExp; readonly inner: (url: URL) => string | null | undefined }

/** The first of these parameters that the URL has. */
const parameter =
  (...names: readonly string[]) =>
  (url: URL) =>
    names.map((name) => url.searchParams.get(name)).find((value) => value !== null)

const WRAPPERS: readonly Wrapper[] = [
  { host: /^(www\.)?google\.[a-z.]{2,6}$/, inner: (url) => (url.pathname === '/url' ? parameter('q', 'url')(url) : null) },
  { host: /\.safelinks\.protection\.(outlook\.com|office365\.us)$/, inner: parameter('url') },
  { host: /^urldefense\.(com|us|proofpoint\.com)$/, inner: defended },
  { host: /^linkprotect\.cudasvc\.com$/, inner: parameter('a') },
  { host: /^(slack-redir\.net|l\.facebook\.com|www\.linkedin\.com|deref-(gmx|mail)\.com)$/, inner: parameter('url', 'u') },
]

function unwrapped(link: string): string {
  let current = link
  for (let depth = 0; depth < MOST_WRAPPERS; depth += 1) {
    const url = URL.parse(current)
    const inner = url && WRAPPERS.find(({ host }) => host.test(url.hostname))?.inner(url)
    if (!inner || !/^https?:\/\//i.test(inner)) return current
    current = inner
  }
  return current
}

/** Version 3 puts the link between underscores. Version 2 writes a dash for the percent sign and an underscore for the slash. */
function defended(url: URL): string | null {
  const plain = /^\/v3\/__(.+?)__;/.exec(url.pathname + url.search)?.[1]
  // Some systems merge two slashes of a path into one.
  if (plain) return plain.replace(/^(https?):\/+/i, '$1://')
  const encoded = url.searchParams.get('u')
  if (!url.pathname.startsWith('/v2/') || encoded === null) return null
  try {
    return decodeURIComponent(encoded.replaceAll('-', '%').replaceAll('_', '/'))
  } catch {
    return null // A literal dash: not decodable.
  }
}
