// The built-in room: the kit presses the buttons that people press, and what happens is read from what the page publishes.
import type { WebClient } from '../web-client/web-client.ts'
import { followRoom, RoomRoster } from './roster.ts'
import { TABLES } from './tables.ts'

export const builtInRoom: WebClient = {
  label: 'The built-in room',
  home: null,
  profile: { browser: 'headless', encoded: true, wrapWorkers: true, ignoredSources: [] },
  tables: TABLES,
  addressOf({ meeting, name }) {
    const address = new URL(meeting.url)
    for (const [key, value] of Object.entries({ name, join: '1', bot: '1', mic: '0', cam: '0' })) address.searchParams.set(key, value)
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
