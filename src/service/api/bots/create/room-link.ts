// Checks that a link to a built-in room admits a bot.
import { invalid } from '../../../../domain/errors.ts'
import type { MeetingLink } from '../../../../domain/meeting-link.ts'
import { type Admission, type RoomAccess, tokenIn } from '../../../../room/room-access.ts'

const PROBLEMS: Readonly<Record<Admission, string | null>> = {
  guest: null,
  bot: null,
  expired: 'has expired. Create a new link with POST /api/v1/rooms.',
  refused: 'must have a valid token. Create a link with POST /api/v1/rooms.',
  absent: 'is a built-in room, but built-in rooms are disabled on this server. Its operator can set ROOM to open or signed.',
}

export function checkRoomLink(meeting: MeetingLink, rooms: Pick<RoomAccess, 'admit'>): void {
  if (meeting.platform !== 'room') return
  const problem = PROBLEMS[rooms.admit(meeting.meetingId, tokenIn(meeting.url))]
  if (problem) throw invalid(`meeting_link ${problem}`)
}
