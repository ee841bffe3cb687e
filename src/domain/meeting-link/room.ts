// Links to the rooms that this service itself has.
import { type LinkCore, type LinkReader, notAMeeting } from './reader.ts'

export type RoomLink = LinkCore & { readonly platform: 'room' }

const ROOM_PATH = /^\/room\/([\w-]{1,64})\/?$/

export const roomReader: LinkReader<RoomLink> = {
  owns: ({ url, roomBase }) => roomBase !== null && url.origin === roomBase.origin,
  read({ url, roomBase }) {
    const base = roomBase?.pathname.replace(/\/$/, '') ?? ''
    const meetingId = url.pathname.startsWith(base) ? ROOM_PATH.exec(url.pathname.slice(base.length))?.[1] : undefined
    if (!meetingId) return notAMeeting('a page of this service')
    return { kind: 'link', platform: 'room', meetingId, url: `${url.origin}${base}/room/${meetingId}`, joinable: true, reason: null }
  },
}
