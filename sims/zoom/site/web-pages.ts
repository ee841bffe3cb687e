// The pages of zoom.us and app.zoom.us.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MeetingServer } from './meeting.ts'

export type Visit = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly meeting: MeetingServer | undefined
  readonly body: string
}

export function answerWeb({ response }: Visit): void {
  response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.')
}
