/// <reference lib="dom" />
// Requests of this page to its server.
import { ATTENDEE_HEADER, type AttendeeState, CONVERSATION_HEADER, PATHS, type Press, TAB_HEADER } from '../wire.ts'
import { boot, tab } from './boot.ts'
import { place } from './place.ts'
import { tokenIn } from './token.ts'

let attendeeId = ''

function call(path: string, body: unknown): Promise<Response> {
  const headers = { [CONVERSATION_HEADER]: boot.conversationId, [ATTENDEE_HEADER]: attendeeId, [TAB_HEADER]: tab }
  return fetch(path, { method: 'POST', headers, body: JSON.stringify(body), keepalive: true })
}

export async function knock(name: string): Promise<string> {
  const token = tokenIn(location.href)
  const response = await call(PATHS.knock, { name, token })
  attendeeId = ((await response.json()) as { readonly attendeeId: string }).attendeeId
  return attendeeId
}

export async function offer(sdp: string): Promise<string> {
  const response = await call(PATHS.offer, { sdp })
  if (!response.ok) throw new Error(`No media: the server answered ${response.status}`)
  return ((await response.json()) as { readonly sdp: string }).sdp
}

/** The whole roster, from another host. */
export async function fetchRoster(): Promise<unknown> {
  const query = `&conversation=${encodeURIComponent(boot.conversationId)}&room=${encodeURIComponent(place.name)}`
  const response = await fetch(boot.snapshotUrl + query)
  return response.json()
}

export function trouterAddress(): string {
  return `${boot.trouterUrl}&epid=${encodeURIComponent(attendeeId)}`
}

export function chatAddress(): string {
  return `${PATHS.chat}?conversation=${encodeURIComponent(boot.conversationId)}&attendee=${encodeURIComponent(attendeeId)}`
}

export const sendMessage = (content: string) => call(PATHS.write, { content, clientMessageId: crypto.randomUUID() })
export const reportState = (state: AttendeeState) => call(PATHS.state, state)
export const goToRoom = () => call(PATHS.room, {})
export const sayGoodbye = () => call(PATHS.leave, {})

/** A press is reported even while the page unloads. Lost reports do not matter. */
export function reportPress(press: Press): void {
  call(PATHS.press, press).catch(() => undefined)
}
