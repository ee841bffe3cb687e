// The Microsoft Teams simulator and its participants, in a process of its own so that its cost is not measured.
import { startTeams } from '../../sims/teams/teams.ts'
import type { Opening } from './simulator-messages.ts'
import { actLively, CAMERA_COLOURS, FRAME_EVERY_MS, type OpenMeeting, PACKET_MS, serveCommands } from './simulator-process.ts'

/** More than one, so that the mix belongs to no single speaker and never pauses. */
const HUM_HERTZ = [300, 470, 640]

const teams = await startTeams()

async function open({ lively }: Opening): Promise<OpenMeeting> {
  const videoSlots = { videoSlots: CAMERA_COLOURS.length }
  const meeting = teams.meeting({ knock: 'admitted', devicesOn: false, call: videoSlots })
  const { call, url: link } = meeting
  const people = await Promise.all(
    CAMERA_COLOURS.map((colour, index) => {
      const voice = lively ? undefined : HUM_HERTZ[index]
      return call.join({ name: `Person ${index + 1}`, colour, ...(voice !== undefined && { voice }) })
    }),
  )
  const [openedMs, ended] = [Date.now(), new AbortController()]
  const line = (text: string) => `<p>${text}</p>`
  return {
    link,
    ...(lively && { acting: actLively({ people, join: (name) => call.join({ name }), line }, ended.signal) }),
    /** The simulator sends the mix without a pause, so packets follow from the clock too. */
    sent() {
      const atMs = Date.now()
      const since = atMs - openedMs
      return {
        frames: CAMERA_COLOURS.length * Math.floor(since / FRAME_EVERY_MS),
        packets: Math.floor(since / PACKET_MS),
        bytes: null,
        atMs,
      }
    },
    end() {
      ended.abort()
      meeting.end()
    },
  }
}

serveCommands({ flags: teams.flags }, open)
