// Links to the rooms of this service.
import { type LinkCore, type LinkReader, notAMeeting, queryText } from './reader.ts'

export type RoomLink = LinkCore & { readonly platform: 'room' }

/** A token of POST /rooms. Text that a mail adds after the link is ignored. */
const TOKEN = /^\d{1,12}\.[\w-]{43}(?![\w-])/
const ROOM_PATH = /^\/room\/([\w-]{1,64})\/?$/

export const roomReader: LinkReader<RoomLink> = {
  owns: ({ url, roomBase }) => roomBase !== null && url.origin === roomBase.origin,
  read({ url, roomBase }) {
    const base = roomBase?.pathname.replace(/\/$/, '') ?? ''
    const meetingId = url.pathname.startsWith(base) ? ROOM_PATH.exec(url.pathname.slice(base.length))?.[1] : undefined
    if (!meetingId) return notAMeeting('a page of this service')
    const query = queryText({ token: TOKEN.exec(url.searchParams.get('token') ?? '')?.[0] ?? null })
    const address = `${url.origin}${base}/room/${meetingId}${query}`
    return { kind: 'link', platform: 'room', meetingId, url: address, joinable: true, reason: null }
  },
}
