// Parses meeting links: the meeting that a caller's text names, or the problem with it.
import { type GoogleMeetLink, googleMeetReader } from './meeting-link/google-meet.ts'
import { hostOf, type LinkProblem, type LinkReader, problem, spellingsOf } from './meeting-link/reader.ts'
import { type RoomLink, roomReader } from './meeting-link/room.ts'
import { type TeamsLink, teamsReader } from './meeting-link/teams.ts'
import { tidy } from './meeting-link/tidy.ts'
import { type WhatsAppLink, whatsAppReader } from './meeting-link/whatsapp.ts'
import { type ZoomLink, zoomReader } from './meeting-link/zoom.ts'
import type { Platform } from './platforms.ts'

export type { LinkProblem } from './meeting-link/reader.ts'
export type MeetingLink = ZoomLink | GoogleMeetLink | TeamsLink | WhatsAppLink | RoomLink

const LONGEST_LINK = 4096

const READERS: { readonly [Name in Platform]: LinkReader<Extract<MeetingLink, { platform: Name }>> } = {
  room: roomReader,
  zoom: zoomReader,
  google_meet: googleMeetReader,
  teams: teamsReader,
  whatsapp: whatsAppReader,
}

/** The meeting of a link. Never throws. Its `url` is built from checked parts, never from the caller's text. */
export function parseMeetingLink(text: string, options: { readonly roomBase?: string } = {}): MeetingLink | LinkProblem {
  if (text.length > LONGEST_LINK) return problem('malformed', `must be at most ${LONGEST_LINK} characters.`)
  const roomBase = options.roomBase === undefined ? null : URL.parse(options.roomBase)

  let best: MeetingLink | LinkProblem | null = null
  for (const spelling of spellingsOf(text)) {
    const answer = readSpelling(spelling, roomBase)
    if (best === null || worth(answer) > worth(best)) best = answer
  }
  return best ?? problem('malformed', 'is not a valid URL.')
}

function readSpelling(spelling: string, roomBase: URL | null): MeetingLink | LinkProblem {
  const tidied = tidy(spelling)
  if (tidied.kind === 'problem') return tidied
  const asked = { url: tidied.url, notedPasscode: tidied.notedPasscode, roomBase }
  const reader = Object.values(READERS).find(({ owns }) => owns(asked))
  if (!reader) return problem('unsupported_host', `host ${hostOf(asked.url).slice(0, 100)} is not a supported meeting platform.`)
  return tidied.several ? problem('malformed', 'must be one link, not several.') : reader.read(asked)
}

/** Prefers a link, then a specific problem, then "malformed". */
function worth(answer: MeetingLink | LinkProblem): number {
  if (answer.kind === 'link') return 2
  return answer.problem === 'malformed' ? 0 : 1
}
