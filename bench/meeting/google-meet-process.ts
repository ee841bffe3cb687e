// The Google Meet simulator and its participants, in a process of its own so that its cost is not measured.
import { startMeet } from '../../sims/google-meet/meet.ts'
import type { Opening } from './simulator-messages.ts'
import { actLively, CAMERA_COLOURS, FRAME_EVERY_MS, type OpenMeeting, serveCommands } from './simulator-process.ts'

/** One for each lane. */
const HUM_HERTZ = [300, 470, 640]

const meet = await startMeet()

async function open({ code, width, height, lively, media }: Opening): Promise<OpenMeeting> {
  const counts = { packets: 0 }
  const sources = (own: number) => {
    counts.packets++
    return [own]
  }
  const options = { dtx: true, red: true, sources, ...(lively && { switchLanesEveryMs: 1_000 }) }
  const { space } = meet.meeting(code, { knock: 'admitted', devicesOn: false, media, space: options })
  const people = await Promise.all(
    CAMERA_COLOURS.map(async (colour, index) => {
      const [name, voice] = [`Person ${index + 1}`, lively ? undefined : HUM_HERTZ[index]]
      const person = await space.join({ name, colour, ...(voice !== undefined && { voice }) })
      await person.resize({ width, height })
      return person
    }),
  )
  const [openedMs, ended] = [Date.now(), new AbortController()]
  return {
    link: `https://meet.google.com/${code}`,
    ...(lively && { acting: actLively({ people, join: (name) => space.join({ name }) }, ended.signal) }),
    sent() {
      const atMs = Date.now()
      const frames = CAMERA_COLOURS.length * Math.floor((atMs - openedMs) / FRAME_EVERY_MS)
      return { frames, packets: counts.packets, bytes: null, atMs }
    },
    async end() {
      ended.abort()
      await space.close()
    },
  }
}

serveCommands({ flags: meet.flags }, open)
