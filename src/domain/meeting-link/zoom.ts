// Zoom links: `/j/<number>` and its variants, and kinds that are accepted but cannot be joined yet.
import {
  type Asked,
  fullyDecoded,
  hostOf,
  isUnder,
  type LinkCore,
  type LinkProblem,
  type LinkReader,
  notAMeeting,
  problem,
  queryText,
  segmentsOf,
  tokenIn,
} from './reader.ts'

export type ZoomLink = LinkCore & {
  readonly platform: 'zoom'
  /** Nine to eleven digits; null for a personal link and other links without the number. */
  readonly meetingNumber: string | null
  readonly passcode: string | null
  /** The registrant's token `tk`. */
  readonly registrantToken: string | null
}

export const zoomReader: LinkReader<ZoomLink> = {
  owns: ({ url }) => isUnder(hostOf(url), 'zoom.us') || isUnder(hostOf(url), 'zoom.com'),
  read(asked) {
    const host = canonicalHost(asked.url)
    const segments = segmentsOf(asked.url)
    const page = pageAt(host, segments)
    if (page) return notAMeeting(page)

    const path = segments.join('/')
    const shape = NUMBERED_SHAPES.find(({ pattern }) => pattern.test(path))
    const meetingNumber = shape?.pattern.exec(path)?.[1]
    return shape && meetingNumber ? numberedLink(asked, host, shape, meetingNumber) : otherLink(asked, host, path)
  },
}

type Shape = { readonly pattern: RegExp; readonly letter: 'j' | 'w'; readonly reason: string | null }

const NUMBERED_SHAPES: readonly Shape[] = [
  { pattern: /^j\/(\d{9,11})$/, letter: 'j', reason: null },
  { pattern: /^s\/(\d{9,11})$/, letter: 'j', reason: null },
  { pattern: /^wc\/join\/(\d{9,11})$/, letter: 'j', reason: null },
  { pattern: /^wc\/(\d{9,11})\/(?:join|start)$/, letter: 'j', reason: null },
  { pattern: /^w\/(\d{9,11})$/, letter: 'w', reason: 'Zoom webinar links cannot be joined yet.' },
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

const PAGES: Readonly<Record<string, readonly string[]>> = {
  'a sign-in page': [
    'signin',
    'sign-in',
    'sign_in',
    'login',
    'log-in',
    'signup',
    'sign-up',
    'sign_up',
    'freesignup',
    'oauth',
    'saml',
    'logout',
    'google_oauth_signin',
  ],
  'a download page': ['download', 'downloads', 'client'],
  'a pricing page': ['pricing', 'plans', 'buy', 'billing', 'opp'],
  'a recording': ['rec', 'recording', 'recordings', 'clips'],
  'a registration or settings page': [
    'meeting',
    'meetings',
    'webinar/register',
    'webinars',
    'profile',
    'account',
    'user',
    'settings',
    'home',
  ],
  'a page to type a meeting number into': ['join', 'start', 'host'],
  'a marketing page': [
    'about',
    'contact',
    'contactsales',
    'products',
    'product',
    'solutions',
    'industry',
    'resources',
    'features',
    'feature',
    'docs',
    'blog',
    'careers',
    'events',
    'live',
    'livedemo',
    'legal',
    'privacy',
    'terms',
    'trust',
    'security',
    'support',
    'hc',
    'partners',
    'team',
    'media-kit',
    'apps',
  ],
}

const PAGE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(PAGES).flatMap(([page, words]) => words.map((word) => [word, page] as const)),
)
/** A path segment before an id; alone it is no link. */
const PREFIXES: ReadonlySet<string> = new Set(['j', 's', 'w', 'wc', 'my', 'ejl', 'wc/join'])

/** The name of the site's page, or null where it may be a meeting. */
function pageAt(host: string, segments: readonly string[]): string | null {
  const siteHost = SITE_HOSTS[host]
  if (siteHost) return siteHost
  // The site also has its pages under a language: /en/pricing, /pt-br/download.
  const words = segments.map((segment) => segment.toLowerCase().replace(/\.html?$/, ''))
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

function numberedLink(asked: Asked, host: string, shape: Shape, meetingNumber: string): ZoomLink {
  const { passcode, registrantToken } = secretsIn(asked)
  const url = `https://${host}/${shape.letter}/${meetingNumber}${queryText({ pwd: passcode, tk: registrantToken })}`
  const joinable = shape.reason === null
  return {
    kind: 'link',
    platform: 'zoom',
    meetingId: meetingNumber,
    url,
    joinable,
    reason: shape.reason,
    meetingNumber,
    passcode,
    registrantToken,
  }
}

/** The host is part of the identity: two companies may use the same personal name on their own hosts. */
function otherLink(asked: Asked, host: string, path: string): ZoomLink | LinkProblem {
  if (!OTHER_PATH.test(path)) return problem('malformed', 'is not a Zoom meeting link.')
  const kind = path.split('/')[0] ?? ''
  const reason = OTHER_REASONS.get(kind) ?? 'This Zoom link has no /j/<meeting-id> path and cannot be joined yet.'
  const meetingId = `${host}/${kind === 'my' ? path.toLowerCase() : path}`
  const secrets = secretsIn(asked)
  const url = `https://${host}/${path}${queryText({ pwd: secrets.passcode, tk: secrets.registrantToken })}`
  return { kind: 'link', platform: 'zoom', meetingId, url, joinable: false, reason, meetingNumber: null, ...secrets }
}

function secretsIn({ url, notedPasscode }: Asked): { passcode: string | null; registrantToken: string | null } {
  // Some mail systems encode the "=" as well: `?pwd%3Dabc`.
  const search = url.search.includes('=') ? url.search : fullyDecoded(url.search)
  const query = new URLSearchParams(search)
  return { passcode: tokenIn(query, 'pwd') ?? notedPasscode, registrantToken: tokenIn(query, 'tk') }
}
