// The built-in room: the driver presses its buttons, and the page publishes the state of the meeting.
import { pageCall } from '../../worker/page-bundle.ts'
import type { MeetingClient } from '../browser-meeting/meeting-client.ts'
import { PAGE_RULES } from './page-rules.ts'
import { RoomRoster } from './roster.ts'

/** A third of the usual packets. A lost one is a gap of this length. */
const LONG_PACKET_MS = '60'

export const builtInRoom: MeetingClient = {
  label: 'The built-in room',
  home: null,
  profile: {
    browser: 'headless',
    // 6 MB less than 1280x720, and still the layout of a wide window.
    viewport: { width: 960, height: 540 },
    encoded: true,
    wrapWorkers: true,
    silent: true,
    ignoredSources: [],
    batchMs: 100,
    // Shorter than the recording waits for later packets.
    recordingOnly: { batchMs: 200 },
  },
  pageRules: PAGE_RULES,
  addressOf({ meeting, name, video }, purpose) {
    const address = new URL(meeting.url)
    if (purpose === 'look') return address
    // The recording takes sound before it is played. Received video costs as much as all audio, even if it is dropped. Audio costs by the
    // packet, and longer packets delay it.
    const costs = { sound: '0', ...(!video && { video: '0' }), ...(purpose === 'record' && { ptime: LONG_PACKET_MS }) }
    const asked = { name, join: '1', bot: '1', mic: '0', cam: '0', ...costs }
    for (const [key, value] of Object.entries(asked)) address.searchParams.set(key, value)
    return address
  },
  longestName: 100,
  longestChatLine: 2_000,
  published: {
    scripts: (reports) => [pageCall(import.meta.url, 'page/start.ts', 'startRoom', reports)],
    createRoster: (...listeners) => new RoomRoster(...listeners),
  },
}
