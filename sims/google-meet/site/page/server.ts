/// <reference lib="dom" />
// Requests to the server, and the event stream with its messages.

import { DEVICE_HEADER, type DeviceState, PATHS, type Press, type ServerMessage } from '../wire.ts'
import { fieldsOf, text } from './protobuf.ts'

let deviceId = ''

/** The server limits requests of this kind. */
export class RateLimited extends Error {}

async function call(path: string, body: unknown): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { [DEVICE_HEADER]: deviceId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: true,
  })
}

/** The device id of a waiting page, or null if the server limits knocks. */
export async function knock(name: string): Promise<string | null> {
  const response = await call(PATHS.knock, { name })
  if (!response.ok) return null
  deviceId = text(fieldsOf(bytesOf(await response.text())), 1) ?? ''
  return deviceId
}

export async function offer(sdp: string): Promise<string> {
  const response = await call(PATHS.offer, { sdp })
  if (!response.ok) throw new Error(`No media: the server answered ${response.status}`)
  return ((await response.json()) as { readonly sdp: string }).sdp
}

export async function sync(): Promise<Uint8Array> {
  // The absolute address, as the real page calls it.
  const response = await fetch(`https://meet.google.com${PATHS.sync}`, {
    method: 'POST',
    headers: { [DEVICE_HEADER]: deviceId, 'content-type': 'application/x-protobuf' },
    body: new Uint8Array([8, 1]),
  })
  if (response.status === 429) throw new RateLimited('No roster: too many requests')
  if (!response.ok) throw new Error(`No roster: the server answered ${response.status}`)
  return bytesOf(await response.text())
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
}

/** The device id of this page in the room. */
export async function enterRoom(room: string): Promise<string> {
  const response = await call(PATHS.room, { room })
  return ((await response.json()) as { readonly deviceId: string }).deviceId
}

export const sendChat = (text: string) => call(PATHS.chat, { text })
export const reportState = (state: DeviceState) => call(PATHS.state, state)
export const sayGoodbye = () => call(PATHS.leave, {})

/** Presses are sent even while a page unloads. Lost ones do not matter. */
export function reportPress(press: Press): void {
  call(PATHS.press, press).catch(() => undefined)
}

export type Line = { readonly onMessage: (message: ServerMessage) => void; readonly lost: () => void; readonly back: () => void }

export function listen({ onMessage, lost, back }: Line): () => void {
  const source = new EventSource(`${PATHS.events}?device=${encodeURIComponent(deviceId)}`)
  let isLost = false
  source.onmessage = ({ data }) => onMessage(JSON.parse(data) as ServerMessage)
  source.onerror = () => {
    if (!isLost) lost()
    isLost = true
  }
  source.onopen = () => {
    if (isLost) back()
    isLost = false
  }
  return () => source.close()
}
