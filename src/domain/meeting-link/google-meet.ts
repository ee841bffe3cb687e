// Google Meet links: a code of 3-4-3 letters, or the meeting name of a workspace.
import { hostOf, type LinkCore, type LinkReader, notAMeeting, problem, segmentsOf } from './reader.ts'

export type GoogleMeetLink = LinkCore & { readonly platform: 'google_meet' }

const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/
/** Letters, digits and hyphens with at least one letter. */
const ALIAS = /^(?=[\d-]*[a-z])[a-z\d-]{1,64}$/i
/** A mistyped code, which would otherwise pass for a name: capitals, or three groups of four. */
const MISTYPED = /^(?:[a-z]{3}-[a-z]{4}-[a-z]{3}|[a-z]{4}-[a-z]{4}-[a-z]{4})$/i

const SITE_PAGES: ReadonlySet<string> = new Set(
  [
    'lookup',
    'landing',
    'new',
    'tel',
    'about',
    'join',
    'home',
    'calling',
    'whoops',
    'linkredirect',
    'getstarted',
    'settings',
    'download',
  ].concat(['pricing', 'signin', 'sign-in', 'login', 'logout', 'support', 'error', 'unsupported', 'robots', 'sitemap', 'favicon', 'url']),
)

export const googleMeetReader: LinkReader<GoogleMeetLink> = {
  owns: ({ url }) => ['meet.google.com', 'www.meet.google.com'].includes(hostOf(url)),
  read({ url }) {
    const segments = segmentsOf(url)
    const [name, ...rest] = segments
    if (name === undefined) return notAMeeting('the front page of Google Meet')
    if (rest.length > 0 || name.startsWith('_') || SITE_PAGES.has(name.toLowerCase())) return notAMeeting('a page of Google Meet')
    if (CODE.test(name)) return link(name, name.replaceAll('-', ''))
    if (MISTYPED.test(name) || !ALIAS.test(name)) {
      return problem('malformed', 'is not a Google Meet link: a meeting code is lower-case letters such as abc-defg-hij.')
    }
    return link(name, name.toLowerCase())
  },
}

function link(name: string, meetingId: string): GoogleMeetLink {
  return { kind: 'link', platform: 'google_meet', meetingId, url: `https://meet.google.com/${name}`, joinable: true, reason: null }
}
