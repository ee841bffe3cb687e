// A simulated Zoom: its servers and its web client behind one port. Chromium flags map Zoom's hosts to it.
//
//   const zoom = await startZoom()
//   const meeting = zoom.meeting({ knock: 'waiting_room' })
//   await meeting.call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440, host: true })
//   const sdk = await makeSdkFolder()  // the double of the SDK, laid out like its npm package
//   // ... a browser with `zoom.flags` opens a page that loads it and joins `meeting.number` ...
//   await until('it waits', () => meeting.waiting().length > 0)
//   meeting.admit()
import { serveSite } from '../site/serve.ts'
import type { Asked, Meeting } from './site/control.ts'
import { MeetingServer } from './site/meeting.ts'
import { type Differences, scenarioOf } from './site/scenario.ts'
import { Site } from './site/server.ts'
import type { App } from './site/signature.ts'
import { type Token, Tokens } from './site/tokens.ts'

export type { Differences, Meeting }

export type Zoom = {
  readonly port: number
  /** Chromium flags that map Zoom's hosts to this server and accept its certificate. */
  readonly flags: readonly string[]
  readonly asked: readonly Asked[]
  /** An app of the same account as meetings that are `own`. */
  readonly app: App
  /** Apps whose signatures are known; a test may add one. */
  readonly apps: App[]
  meeting(differences?: Differences): Meeting
  /** A token as Zoom's API issues it. */
  issue(token: Token): string
  stop(): Promise<void>
}

const DOMAINS = ['zoom.us', '*.zoom.us', 'zoom.com', '*.zoom.com']

export async function startZoom(): Promise<Zoom> {
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const app: App = { key: 'SimulatedSdkKey0123456', secret: 'SimulatedSdkSecret0123456789abcdef' }
  const apps = [app]
  const tokens = new Tokens()
  const door = { apps, tokens }
  const { port, flags, close } = await serveSite(DOMAINS, new Site({ meetings, asked, door }))
  return {
    port,
    flags,
    asked,
    app,
    apps,
    issue: (token) => tokens.issue(token),
    meeting(differences = {}) {
      const meeting = new MeetingServer(scenarioOf(differences), door)
      meetings.set(meeting.number, meeting)
      return meeting
    },
    async stop() {
      for (const meeting of meetings.values()) meeting.stop()
      await close()
      await Promise.all([...meetings.values()].map(({ rooms }) => rooms.close()))
    },
  }
}
