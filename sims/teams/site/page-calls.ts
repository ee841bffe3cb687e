// The requests of the pages to their server: one row per path.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChatMessage } from '../call/types.ts'
import type { Asked } from './control.ts'
import type { MeetingServer } from './meeting.ts'
import { ATTENDEE_HEADER, type AttendeeState, PATHS, type Press } from './wire.ts'

export type PageCall = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly asked: Asked
  /** The account name of this tab. */
  readonly accountName: string | null
}

type Answer = (meeting: MeetingServer, call: PageCall & { readonly attendeeId: string }) => void | Promise<void>

const ANSWERS: Readonly<Record<string, Answer>> = {
  [PATHS.knock]: (meeting, { response, asked, accountName }) => {
    const { name, token } = JSON.parse(asked.body) as { readonly name: string; readonly token: string | null }
    json(response, { attendeeId: meeting.knock({ name: accountName ?? name, token, isSignedIn: accountName !== null }) })
  },
  [PATHS.offer]: async (meeting, { response, asked, attendeeId }) => {
    const { sdp } = JSON.parse(asked.body) as { readonly sdp: string }
    json(response, { sdp: await meeting.offer(attendeeId, sdp) })
  },
  [PATHS.state]: (meeting, { response, asked, attendeeId }) => {
    meeting.setState(attendeeId, JSON.parse(asked.body) as AttendeeState)
    json(response, {})
  },
  [PATHS.write]: (meeting, { response, asked, attendeeId }) => {
    const { content, clientMessageId } = JSON.parse(asked.body) as { readonly content: string; readonly clientMessageId: string }
    const attendee = meeting.attendee(attendeeId)
    attendee?.room.call.write(attendeeId, attendee.facts.name, content, clientMessageId)
    json(response, {})
  },
  [PATHS.chat]: (meeting, { response, attendeeId }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write('retry: 300\n\n')
    const attendee = meeting.attendee(attendeeId)
    const stream = {
      send: (message: ChatMessage) => void response.write(`data: ${JSON.stringify(message)}\n\n`),
      cut: () => void response.destroy(),
    }
    response.once('close', () => attendee?.closeChat(stream))
    attendee?.openChat(stream)
  },
  [PATHS.room]: (meeting, { response, attendeeId }) => {
    meeting.goToRoom(attendeeId)
    json(response, {})
  },
  [PATHS.leave]: (meeting, { response, attendeeId }) => {
    meeting.leave(attendeeId)
    json(response, {})
  },
  [PATHS.press]: (meeting, { response, asked }) => {
    meeting.pressed.push(JSON.parse(asked.body) as Press)
    response.writeHead(204).end()
  },
}

export async function answerPage(meeting: MeetingServer, call: PageCall): Promise<void> {
  const answer = ANSWERS[call.asked.path]
  if (!answer) return void call.response.writeHead(404).end()
  // An event stream cannot have its own headers.
  const query = new URL(call.request.url ?? '/', 'https://sim').searchParams
  const attendeeId = call.request.headers[ATTENDEE_HEADER] ?? query.get('attendee')
  await answer(meeting, { ...call, attendeeId: typeof attendeeId === 'string' ? attendeeId : '' })
}

export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
