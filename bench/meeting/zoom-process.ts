// The Zoom simulator and its participants, in a process of its own so that its cost is not measured.
import { rmSync } from 'node:fs'
import { makeSdkFolder } from '../../sims/zoom/sdk-folder.ts'
import { startZoom } from '../../sims/zoom/zoom.ts'
import type { Opening } from './simulator-messages.ts'
import { actLively, CAMERA_COLOURS, FRAME_EVERY_MS, type OpenMeeting, PACKET_MS, serveCommands } from './simulator-process.ts'

const HUM_HERTZ = [300, 470, 640, 810]

const zoom = await startZoom()
const sdk = await makeSdkFolder()
process.on('exit', () => rmSync(sdk, { recursive: true, force: true }))

async function open({ lively }: Opening): Promise<OpenMeeting> {
  const meeting = zoom.meeting({ recording: 'allowed' })
  const { call, url: link } = meeting
  const people = await Promise.all(
    CAMERA_COLOURS.map((colour, index) => {
      const voice = lively ? undefined : HUM_HERTZ[index]
      return call.join({ name: `Person ${index + 1}`, colour, host: index === 0, ...(voice !== undefined && { voice }) })
    }),
  )
  const [openedMs, ended] = [Date.now(), new AbortController()]
  return {
    link,
    ...(lively && { acting: actLively({ people, join: (name) => call.join({ name }) }, ended.signal) }),
    /** Each participant sends sound and pictures without a pause, so both follow from the clock. */
    sent() {
      const atMs = Date.now()
      const count = (everyMs: number) => CAMERA_COLOURS.length * Math.floor((atMs - openedMs) / everyMs)
      return { frames: count(FRAME_EVERY_MS), packets: count(PACKET_MS), bytes: null, atMs }
    },
    end() {
      ended.abort()
      meeting.end()
    },
  }
}

serveCommands({ flags: zoom.flags, settings: { ZOOM_SDK_KEY: zoom.app.key, ZOOM_SDK_SECRET: zoom.app.secret, ZOOM_SDK_FOLDER: sdk } }, open)
