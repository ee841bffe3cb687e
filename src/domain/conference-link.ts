// Finds the meeting link of a calendar event, in the order of the specification.
import { otherProductOf } from './conference-link/products.ts'
import { linksIn } from './conference-link/text.ts'
import { parseMeetingLink } from './meeting-link.ts'
import { PLATFORMS } from './platforms.ts'

/** The places of an event that may hold a link, most trusted first. */
export type LinkPlaces = {
  readonly video: string | null
  readonly entryPoints: readonly string[]
  readonly location: string | null
  /** Text or HTML. */
  readonly description: string | null
}

export type ConferenceLink = {
  /** The identifier in responses: `GMeet`, `Webex`. */
  readonly platform: string
  readonly url: string
  /** The identity of the meeting; null where no bot can join. */
  readonly key: string | null
  /** Why no bot can join; null where one can. */
  readonly reason: string | null
}

/** The event's meeting, or null. `roomBase` is the address of this service's own rooms. */
export function findConference(places: LinkPlaces, roomBase: string): ConferenceLink | null {
  const texts = [places.video, ...places.entryPoints, places.location, places.description]
  for (const text of texts) {
    const found = text ? conferenceIn(text, roomBase) : null
    if (found) return found
  }
  return null
}

/** Prefers the links of a text that a bot can join. */
function conferenceIn(text: string, roomBase: string): ConferenceLink | null {
  const found = linksIn(text).flatMap((link) => conferenceAt(link, roomBase) ?? [])
  return found.find(({ key }) => key !== null) ?? found[0] ?? null
}

function conferenceAt(link: string, roomBase: string): ConferenceLink | null {
  const meeting = parseMeetingLink(link, { roomBase })
  if (meeting.kind === 'link') {
    const { platform, url, meetingId, joinable, reason } = meeting
    return { platform: PLATFORMS[platform].wireName, url, key: joinable ? `${platform}:${meetingId}` : null, reason }
  }
  const product = otherProductOf(link)
  if (!product) return null
  return { platform: product, url: link, key: null, reason: `${product} meetings cannot be joined by a bot of this server.` }
}
