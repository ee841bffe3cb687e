// Google Meet links: a code of 3-4-3 letters, the meeting name of a workspace, or a name to look up.
import { hostOf, type LinkCore, type LinkProblem, type LinkReader, notAMeeting, pathParts, problem } from './reader.ts'

export type GoogleMeetLink = LinkCore & { readonly platform: 'google_meet' }

/** Google Meet ignores the case of a code. */
const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/i
/** Letters, digits and hyphens with at least one letter. */
const ALIAS = /^(?=[\d-]*[a-z])[a-z\d-]{1,64}$/i
/** A mistyped code, which would otherwise pass for a name. */
const MISTYPED = /^[a-z]{4}-[a-z]{4}-[a-z]{4}$/i

const SITE_PAGES: ReadonlySet<string> = new Set(
  `lookup landing new tel about join home calling whoops linkredirect getstarted settings download pricing signin sign-in login logout
  support error unsupported robots sitemap favicon url`.split(/\s+/),
)

/** Its viewers are in no meeting: the people of the meeting do not see them, and their page receives a film. */
const LIVE_STREAMS = 'stream.meet.google.com'

export const googleMeetReader: LinkReader<GoogleMeetLink> = {
  owns: ({ url }) => ['meet.google.com', 'www.meet.google.com', LIVE_STREAMS].includes(hostOf(url)),
  read({ url }) {
    if (hostOf(url) === LIVE_STREAMS)
      return problem('not_a_meeting', 'is a live stream of Google Meet, which can be watched but not joined.')
    const parts = pathParts(url)
    const [name, ...rest] = parts
    if (name === undefined) return notAMeeting('the front page of Google Meet')
    if (name.toLowerCase() === 'lookup' && rest.length === 1) return lookupLink(rest[0] ?? '')
    if (rest.length > 0 || name.startsWith('_') || SITE_PAGES.has(name.toLowerCase())) return notAMeeting('a page of Google Meet')
    const code = name.toLowerCase()
    if (CODE.test(name)) return link(code, code.replaceAll('-', ''))
    return MISTYPED.test(name) || !ALIAS.test(name) ? malformed() : link(name, code)
  },
}

/** The form of calendars and classrooms. Google Meet forwards the bot to the meeting of this name. */
function lookupLink(name: string): GoogleMeetLink | LinkProblem {
  return ALIAS.test(name) ? link(`lookup/${name}`, `lookup/${name.toLowerCase()}`) : malformed()
}

function malformed(): LinkProblem {
  return problem('malformed', 'is not a Google Meet link: a meeting code is letters such as abc-defg-hij.')
}

function link(name: string, meetingId: string): GoogleMeetLink {
  return { kind: 'link', platform: 'google_meet', meetingId, url: `https://meet.google.com/${name}`, joinable: true, reason: null }
}
