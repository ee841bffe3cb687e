// Microsoft Teams links: the long form with a thread, the short form with a number, and pages that embed either.
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
  spellingsOf,
  tokenIn,
} from './reader.ts'

type TeamsThread = {
  readonly threadId: string
  readonly messageId: string
  readonly tenantId: string
  readonly organiserId: string
}

export type TeamsLink = LinkCore & {
  readonly platform: 'teams'
  /** `personal` is the consumer product on teams.live.com. */
  readonly variant: 'work' | 'personal'
  readonly passcode: string | null
  /** From a long link; null for a short one. */
  readonly thread: TeamsThread | null
}

export const teamsReader: LinkReader<TeamsLink> = {
  owns({ url }) {
    const host = hostOf(url)
    return HOSTS.includes(host) || PARENT_HOSTS.some((parent) => isUnder(host, parent))
  },
  read(asked) {
    const host = hostOf(asked.url)
    const page = SITE_HOSTS[host]
    if (page) return notAMeeting(page)
    const opener = formAt(asked.url, CARRIERS)
    const inner = opener ? opener(asked.url) : asked.url
    return (inner && formAt(inner, FORMS)?.({ ...asked, url: inner })) ?? notAMeeting('a page of Microsoft Teams')
  },
}

const HOSTS: readonly string[] = ['teams.live.com', 'teams.cloud.microsoft']
const PARENT_HOSTS: readonly string[] = ['teams.microsoft.com', 'teams.microsoft.us']
const SITE_HOSTS: Readonly<Record<string, string>> = {
  'dialin.teams.microsoft.com': 'a dial-in page',
  'admin.teams.microsoft.com': 'an administration page',
}

type Forms<Reader> = readonly { readonly path: string; readonly read: Reader }[]

const FORMS: Forms<(asked: Asked) => TeamsLink | LinkProblem> = [
  { path: '/l/meetup-join/', read: readLongForm },
  { path: '/meet/', read: readShortForm },
  { path: '/light-meetings/launch', read: readLightForm },
]

/** Pages that embed the meeting's path: the web app in the fragment, the launcher in `url`. */
const CARRIERS: Forms<(url: URL) => URL | null> = [
  { path: '/v2', read: (url) => inside(url, url.hash.slice(1)) },
  { path: '/_', read: (url) => inside(url, url.hash.slice(1)) },
  { path: '/dl/launcher/', read: (url) => inside(url, url.hash === '' ? (url.searchParams.get('url') ?? '') : url.hash.slice(1)) },
]

function formAt<Reader>(url: URL, forms: Forms<Reader>): Reader | undefined {
  return forms.find(({ path }) => url.pathname.startsWith(path))?.read
}

function inside(outer: URL, text: string): URL | null {
  const path = spellingsOf(text).find((spelling) => spelling.startsWith('/'))
  if (path === undefined) return null
  const url = URL.parse(path.startsWith('/_#/') ? path.slice(3) : path, `https://${hostOf(outer)}`)
  return url && url.host === hostOf(outer) ? url : null
}

function readLongForm({ url }: Asked): TeamsLink | LinkProblem {
  const [, , threadId = '', messageId = ''] = pathParts(url).map(fullyDecoded)
  const context = jsonIn(url.searchParams.get('context') ?? '')
  return threadLink(url, { threadId, messageId, tenantId: context.Tid, organiserId: context.Oid })
}

function readLightForm({ url }: Asked): TeamsLink | LinkProblem {
  // A query reads the "+" of base64 as a space.
  const coordinates = jsonIn(fromBase64(fullyDecoded(url.searchParams.get('coords') ?? '').replaceAll(' ', '+')))
  const { conversationId, messageId, tenantId, organizerId } = coordinates
  return threadLink(url, { threadId: conversationId, messageId, tenantId, organiserId: organizerId })
}

function threadLink(url: URL, parts: Readonly<Record<keyof TeamsThread, unknown>>): TeamsLink | LinkProblem {
  const threadId = matching(parts.threadId, /^19:[\w.=+/-]{1,512}@thread\.[a-z\d]{1,16}$/)
  const tenantId = matching(parts.tenantId, /^[\w.-]{1,64}$/)
  const organiserId = matching(parts.organiserId, /^[\w.-]{1,64}$/)
  // The web app appends its own flags to the fragment: `.../0&anon=true`.
  const messageId = matching(String(parts.messageId).split('&')[0], /^\d{1,32}$/) ?? '0'
  if (!threadId) return problem('malformed', 'is a Microsoft Teams link without a meeting thread.')
  if (!tenantId || !organiserId) return problem('malformed', 'is a Microsoft Teams link without its tenant and organiser (context).')

  const context = JSON.stringify({ Tid: tenantId, Oid: organiserId })
  const address = `https://${hostOf(url)}/l/meetup-join/${encodeURIComponent(threadId)}/${messageId}?context=${encodeURIComponent(context)}`
  // All meetings of a channel share its thread. The id of the announcing message distinguishes them.
  const meetingId = threadId.endsWith('@thread.tacv2') ? `${threadId}/${messageId}` : threadId
  return teamsLink(url, { meetingId, url: address, passcode: null, thread: { threadId, messageId, tenantId, organiserId } })
}

function readShortForm({ url, notedPasscode }: Asked): TeamsLink | LinkProblem {
  const meetingId = /^\/meet\/(\d{10,15})(?:&.*)?\/?$/.exec(url.pathname)?.[1]
  if (!meetingId) return problem('malformed', 'is a Microsoft Teams link without a meeting number of 10 to 15 digits.')
  const passcode = tokenIn(url.searchParams, 'p') ?? notedPasscode
  return teamsLink(url, { meetingId, url: `https://${hostOf(url)}/meet/${meetingId}${queryText({ p: passcode })}`, passcode, thread: null })
}

function teamsLink(url: URL, parts: Pick<TeamsLink, 'meetingId' | 'url' | 'passcode' | 'thread'>): TeamsLink {
  const variant = hostOf(url) === 'teams.live.com' ? 'personal' : 'work'
  return { kind: 'link', platform: 'teams', joinable: true, reason: null, variant, ...parts }
}

function matching(value: unknown, pattern: RegExp): string | null {
  return typeof value === 'string' && pattern.test(value) ? value : null
}

/** The JSON object in the text, however often it is percent-encoded; empty where there is none. */
function jsonIn(text: string): Readonly<Record<string, unknown>> {
  for (const spelling of spellingsOf(text)) {
    try {
      const value: unknown = JSON.parse(spelling)
      if (typeof value === 'object' && value !== null) return { ...value }
    } catch {
      // Not JSON, or still encoded: try the next decoding.
    }
  }
  return {}
}

function fromBase64(text: string): string {
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  } catch {
    return '' // Not base64, so it holds no ids.
  }
}
