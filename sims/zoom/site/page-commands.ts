// Handles the commands of a page, one row for each.
import type { Attendee } from './attendee.ts'
import type { MeetingServer } from './meeting.ts'
import { EVT, type FromPage } from './wire.ts'

type Row<Cmd extends FromPage['cmd']> = (
  meeting: MeetingServer,
  attendee: Attendee,
  command: Extract<FromPage, { readonly cmd: Cmd }>,
) => void

const ROWS: { readonly [Cmd in FromPage['cmd']]: Row<Cmd> } = {
  offer: (_, attendee, { id, sdp, streams }) => {
    const {
      userId,
      room: { call },
    } = attendee
    const answered = streams.length > 0 ? call.receive(userId, sdp, streams) : call.send(userId, sdp)
    // The stream may have closed meanwhile. The page then drops its offer.
    answered.then(
      (answer) => attendee.send({ evt: EVT.answer, body: { id, sdp: answer } }),
      () => attendee.send({ evt: EVT.answer, body: { id, sdp: null } }),
    )
  },
  state: (meeting, attendee, { state }) => meeting.setState(attendee, state),
  chat: (_, { userId, room }, { text, receiverId }) => room.call.write(userId, text, receiverId),
  request_permission: ({ recording }, { userId }) => void recording.requests.push(userId),
  capture: ({ recording }, attendee, { status }) => recording.capture(attendee, status),
  rename: (meeting, attendee, { name }) => {
    attendee.name = name
    meeting.setState(attendee, attendee.state)
  },
  press: ({ pressed }, _, { press }) => void pressed.push(press),
  accept_promotion: (meeting, attendee) => meeting.becomePanelist(attendee),
  follow_room: (meeting, attendee) => meeting.followRoom(attendee),
  leave: (meeting, attendee) => meeting.leave(attendee),
}

export function handleCommand<Cmd extends FromPage['cmd']>(
  meeting: MeetingServer,
  attendee: Attendee,
  command: Extract<FromPage, { readonly cmd: Cmd }>,
): void {
  const row: Row<Cmd> = ROWS[command.cmd as Cmd]
  row(meeting, attendee, command)
}
