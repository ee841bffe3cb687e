// Zoom links: `/j/<number>` and its variants, webinars, and kinds that are accepted but cannot be joined yet.
import {
  type Asked,
  fullyDecoded,
  hostOf,
  isUnder,
  type LinkCore,
  type LinkProblem,
  type LinkReader,
  notAMeeting,
  pathParts,
  problem,
  queryText,
  tokenIn,
} from './reader.ts'

export type ZoomLink = LinkCore & {
  readonly platform: 'zoom'
  /** Nine to eleven digits; null for a personal link and other links without the number. */
  readonly meetingNumber: string | null
  readonly passcode: string | null
  /** The registrant's token `tk`. */
  readonly registrantToken: string | null
  /** A link of the form `/w/<number>`. A link of the form `/j/<number>` may be that of a webinar, too. */
  readonly isWebinar: boolean
}

export const zoomReader: LinkReader<ZoomLink> = {
  owns: ({ url }) => isUnder(hostOf(url), 'zoom.us') || isUnder(hostOf(url), 'zoom.com'),
  read(asked) {
    const host = canonicalHost(asked.url)
    const parts = pathParts(asked.url)
    const page = pageAt(host, parts)
    if (page) return notAMeeting(page)

    const path = parts.join('/')
    const shape = NUMBERED_SHAPES.find(({ pattern }) => pattern.test(path))
    const meetingNumber = shape?.pattern.exec(path)?.[1]
    if (!shape || !meetingNumber) return otherLink(asked, host, path)
    const isWebinar = shape.letter === 'w'
    return zoomLink(asked, `${host}/${shape.letter}/${meetingNumber}`, { meetingId: meetingNumber, meetingNumber, isWebinar, reason: null })
  },
}

type Shape = { readonly pattern: RegExp; readonly letter: 'j' | 'w' }

const NUMBERED_SHAPES: readonly Shape[] = [
  { pattern: /^[js]\/(\d{9,11})$/, letter: 'j' },
  { pattern: /^wc\/join\/(\d{9,11})$/, letter: 'j' },
  { pattern: /^wc\/(\d{9,11})\/(?:join|start)$/, letter: 'j' },
  { pattern: /^w\/(\d{9,11})$/, letter: 'w' },
]

/** Personal names and event tokens. Any other path is damaged. */
const OTHER_PATH = /^[\w.@=+/-]{0,299}[\w=]$/

const OTHER_REASONS: ReadonlyMap<string, string> = new Map([
  ['my', 'Zoom personal links cannot be joined yet.'],
  ['ejl', 'Zoom event links cannot be joined yet.'],
])

const SITE_HOSTS: Readonly<Record<string, string>> = {
  'support.zoom.us': 'a support page',
  'marketplace.zoom.us': 'a marketplace page',
  'blog.zoom.us': 'a blog page',
  'developers.zoom.us': 'a developer page',
  'devforum.zoom.us': 'a developer page',
  'community.zoom.us': 'a community page',
  'explore.zoom.us': 'a marketing page',
  'learning.zoom.us': 'a training page',
  'status.zoom.us': 'a status page',
  'trust.zoom.us': 'a marketing page',
  'investors.zoom.us': 'a marketing page',
}

/** The first parts of paths, by the page. */
const PAGES: Readonly<Record<string, string>> = {
  'a sign-in page': 'signin sign-in sign_in login log-in signup sign-up sign_up freesignup oauth saml logout google_oauth_signin',
  'a download page': 'download downloads client',
  'a pricing page': 'pricing plans buy billing opp',
  'a recording': 'rec recording recordings clips',
  'a registration or settings page': 'meeting meetings webinar/register webinars profile account user settings home',
  'a page to type a meeting number into': 'join start host',
  'a marketing page': `about contact contactsales products product solutions industry resources features feature docs blog careers events
    live livedemo legal privacy terms trust security support hc partners team media-kit apps`,
}

const PAGE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(PAGES).flatMap(([page, parts]) => parts.split(/\s+/).map((part) => [part, page] as const)),
)
/** A path part before an id; alone it is no link. */
const PREFIXES: ReadonlySet<string> = new Set(['j', 's', 'w', 'wc', 'my', 'ejl', 'wc/join'])

/** The name of the site's page, or null where it may be a meeting. */
function pageAt(host: string, parts: readonly string[]): string | null {
  const siteHost = SITE_HOSTS[host]
  if (siteHost) return siteHost
  // The site also has its pages under a language: /en/pricing, /pt-br/download.
  const words = parts.map((part) => part.toLowerCase().replace(/\.html?$/, ''))
  const path = PREFIXES.has(words[0] ?? '') || !/^[a-z]{2}(-[a-z]{2,4})?$/.test(words[0] ?? '') ? words : words.slice(1)
  if (path.length === 0) return 'the front page of Zoom'
  if (PREFIXES.has(path.join('/'))) return 'a Zoom page without a meeting number'
  return PAGE_OF.get(path[0] ?? '') ?? PAGE_OF.get(path.slice(0, 2).join('/')) ?? null
}

/** zoom.com is an alias of zoom.us. The web client's host serves every account, like the bare domain. */
function canonicalHost(url: URL): string {
  const host = hostOf(url).replace(/zoom\.com$/, 'zoom.us')
  return ['app.zoom.us', 'www.zoom.us'].includes(host) ? 'zoom.us' : host
}

/** The host is part of the identity: two companies may use the same personal name on their own hosts. */
function otherLink(asked: Asked, host: string, path: string): ZoomLink | LinkProblem {
  if (!OTHER_PATH.test(path)) return problem('malformed', 'is not a Zoom meeting link.')
  const kind = path.split('/')[0] ?? ''
  const reason = OTHER_REASONS.get(kind) ?? 'This Zoom link has no /j/<meeting-id> path and cannot be joined yet.'
  const meetingId = `${host}/${kind === 'my' ? path.toLowerCase() : path}`
  return zoomLink(asked, `${host}/${path}`, { meetingId, meetingNumber: null, isWebinar: false, reason })
}

function zoomLink(asked: Asked, place: string, parts: Pick<ZoomLink, 'meetingId' | 'meetingNumber' | 'isWebinar' | 'reason'>): ZoomLink {
  const secrets = secretsIn(asked)
  const url = `https://${place}${queryText({ pwd: secrets.passcode, tk: secrets.registrantToken })}`
  return { kind: 'link', platform: 'zoom', url, joinable: parts.reason === null, ...parts, ...secrets }
}

function secretsIn({ url, notedPasscode }: Asked): { passcode: string | null; registrantToken: string | null } {
  // Some mail systems encode the "=" as well: `?pwd%3Dabc`.
  const search = url.search.includes('=') ? url.search : fullyDecoded(url.search)
  const query = new URLSearchParams(search)
  return { passcode: tokenIn(query, 'pwd') ?? notedPasscode, registrantToken: tokenIn(query, 'tk') }
}
