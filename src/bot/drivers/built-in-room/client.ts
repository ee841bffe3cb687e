// The built-in room: the kit presses its buttons, and the page publishes the state of the meeting.
import type { WebClient } from '../web-client/web-client.ts'
import { followRoom, RoomRoster } from './roster.ts'
import { TABLES } from './tables.ts'

/** A third of the usual packets. A lost one is a gap of this length. */
const LONG_PACKET_MS = '60'

export const builtInRoom: WebClient = {
  label: 'The built-in room',
  home: null,
  profile: {
    ...{ browser: 'headless', encoded: true, wrapWorkers: true, ignoredSources: [], batchMs: 100 },
    // Shorter than the recording waits for later packets.
    recordingOnly: { batchMs: 200 },
  },
  // 6 MB less than 1280x720, and still the layout of a wide window.
  viewport: { width: 960, height: 540 },
  tables: TABLES,
  addressOf({ meeting, name, video }, isLive) {
    const address = new URL(meeting.url)
    // The recording takes sound before it is played. Received video costs as much as all audio, even if it is dropped. Audio costs by the
    // packet, and longer packets delay it.
    const costs = { sound: '0', ...(!video && { video: '0' }), ...(!isLive && { ptime: LONG_PACKET_MS }) }
    const asked = { name, join: '1', bot: '1', mic: '0', cam: '0', ...costs }
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
