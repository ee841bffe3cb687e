// The built-in room: the kit presses its buttons, and the page publishes the state of the meeting.
import type { WebClient } from '../web-client/web-client.ts'
import { followRoom, RoomRoster } from './roster.ts'
import { TABLES } from './tables.ts'

export const builtInRoom: WebClient = {
  label: 'The built-in room',
  home: null,
  profile: { browser: 'headless', encoded: true, wrapWorkers: true, ignoredSources: [], batchMs: 100 },
  tables: TABLES,
  addressOf({ meeting, name, video }) {
    const address = new URL(meeting.url)
    // The recording takes sound before it is played. Received video costs as much as all audio, even if it is dropped.
    const asked = { name, join: '1', bot: '1', mic: '0', cam: '0', sound: '0', ...(!video && { video: '0' }) }
    for (const [key, value] of Object.entries(asked)) address.searchParams.set(key, value)
    return address
  },
  doorOf: ({ meeting }) => new URL(meeting.url),
  longestName: 100,
  longestChatLine: 2_000,
  joinRequest: null,
  listens: null,
  createReaders: () => ({}),
  signIns: {},
  published: { follow: followRoom, createRoster: (...listeners) => new RoomRoster(...listeners) },
}
