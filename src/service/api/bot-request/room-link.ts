// Whether a bot may be sent to a built-in room with this link.
import { invalid } from '../../../domain/errors.ts'
import type { MeetingLink } from '../../../domain/meeting-link.ts'
import { type Admission, type Door, tokenIn } from '../../room/door.ts'

const PROBLEMS: Readonly<Record<Admission, string | null>> = {
  guest: null,
  bot: null,
  expired: 'has expired. Make a new link with POST /api/v1/rooms.',
  refused: 'must carry a valid token: use a link that POST /api/v1/rooms made.',
  absent: 'is a built-in room, and the rooms of this server are switched off.',
}

export function checkRoomLink(meeting: MeetingLink, rooms: Pick<Door, 'admit'>): void {
  if (meeting.platform !== 'room') return
  const problem = PROBLEMS[rooms.admit(meeting.meetingId, tokenIn(meeting.url))]
  if (problem) throw invalid(`meeting_link ${problem}`)
}
