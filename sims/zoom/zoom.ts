// Zoom on this machine: its servers and its web client behind one port, for a Chromium that is told where the real hosts are.
//
//   const zoom = await startZoom()
//   const meeting = zoom.meeting({ knock: 'waiting_room' })
//   await meeting.call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440, host: true })
//   const sdk = await makeSdkFolder()  // the double of the SDK, laid out like its npm package
//   // ... a browser with `zoom.flags` opens a page that loads it and joins `meeting.number` ...
//   await until('it waits', () => meeting.waiting().length > 0)
//   meeting.admit()
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from '../site/certificate.ts'
import { ONE_PATH } from '../webrtc/peer.ts'
import type { Asked, Meeting } from './site/control.ts'
import { MeetingServer } from './site/meeting.ts'
import { type Differences, scenarioOf } from './site/scenario.ts'
import { Site } from './site/server.ts'
import type { App } from './site/signature.ts'
import { type Token, Tokens } from './site/tokens.ts'

export type { Differences, Meeting }

export type Zoom = {
  readonly port: number
  /** For a Chromium: all of Zoom's hosts are here, and this certificate is good. */
  readonly flags: readonly string[]
  readonly asked: readonly Asked[]
  /** An app of the same account as meetings that are `own`. */
  readonly app: App
  /** Apps whose signatures are known; a test may add one. */
  readonly apps: App[]
  meeting(differences?: Differences): Meeting
  /** A token as Zoom's API hands it out. */
  issue(token: Token): string
  stop(): Promise<void>
}

const DOMAINS = ['zoom.us', '*.zoom.us', 'zoom.com', '*.zoom.com']

export async function startZoom(): Promise<Zoom> {
  const { key, cert, spki } = await makeCertificate(DOMAINS)
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const app: App = { key: 'SimulatedSdkKey0123456', secret: 'SimulatedSdkSecret0123456789abcdef' }
  const apps = [app]
  const tokens = new Tokens()
  const door = { apps, tokens }
  const site = new Site({ meetings, asked, door })
  const server = createServer({ key, cert }, (request, response) => {
    // A page that goes away in the middle of a request gets no answer.
    site.handle(request, response).catch((error: unknown) => {
      if (!response.destroyed) response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.on('upgrade', (request, socket, head) => site.upgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const rules = DOMAINS.map((domain) => `MAP ${domain} 127.0.0.1:${port}`).join(', ')
  return {
    ...{ port, asked, app, apps },
    flags: [`--host-resolver-rules=${rules}`, `--ignore-certificate-errors-spki-list=${spki}`, ONE_PATH],
    issue: (token) => tokens.issue(token),
    meeting(differences = {}) {
      const meeting = new MeetingServer(scenarioOf(differences), door)
      meetings.set(meeting.number, meeting)
      return meeting
    },
    async stop() {
      for (const meeting of meetings.values()) meeting.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...meetings.values()].map(({ call }) => call.close()))
    },
  }
}
