// Google Meet on this machine: the site and its media behind one port, for a Chromium that is told where meet.google.com is.
//
//   const meet = await startMeet()
//   const meeting = meet.meeting('abc-defg-hij', { knock: 'lobby', notices: ['devices'] })
//   await meeting.space.join({ name: 'Ann', colour: '#dc1e1e', voice: 440 })
//   // ... a browser with `meet.flags` opens meeting.url ...
//   await until('it knocks', () => meeting.knocks().length > 0)
//   meeting.admit()
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from '../site/certificate.ts'
import { ONE_PATH } from '../webrtc/peer.ts'
import { createMeetSpace } from './sfu/space.ts'
import { MeetingServer } from './site/meeting.ts'
import type { Asked, Meeting } from './site/meeting-words.ts'
import { type Scenario, scenarioOf } from './site/scenario.ts'
import { createSite, type Mount } from './site/server.ts'

export type { Meeting, Scenario }

export type MeetOptions = {
  /** Answers for hosts of its own, such as the accounts' pages, before this site does. */
  readonly mount?: Mount
}

export type Meet = {
  readonly port: number
  /** For a Chromium: every host of Google's is here, and this certificate is good. */
  readonly flags: readonly string[]
  /** Everything that was asked, in whichever meeting and of whichever host. */
  readonly asked: readonly Asked[]
  /** Makes the meeting behind a link; any other link leads to "Check your meeting code". */
  meeting(code: string, differences?: Partial<Scenario>): Meeting
  stop(): Promise<void>
}

const HOSTS = ['meet.google.com', '*.google.com', '*.googleusercontent.com']

export async function startMeet({ mount = () => false }: MeetOptions = {}): Promise<Meet> {
  const { key, cert, spki } = await makeCertificate(HOSTS)
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const site = createSite({ meetings, asked, mount })
  const server = createServer({ key, cert }, (request, response) => {
    // A page that goes away in the middle of a request has nothing to be told.
    site.handle(request, response).catch((error: unknown) => {
      if (!response.destroyed) response.destroy(error instanceof Error ? error : undefined)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    flags: [
      `--host-resolver-rules=MAP *.google.com 127.0.0.1:${port}, MAP *.googleusercontent.com 127.0.0.1:${port}`,
      `--ignore-certificate-errors-spki-list=${spki}`,
      ONE_PATH,
    ],
    asked,
    meeting(code, differences = {}) {
      if (meetings.has(code)) throw new Error(`There is a meeting ${code} already`)
      const scenario = scenarioOf(differences)
      const meeting = new MeetingServer(code, scenario, createMeetSpace({ ...scenario.space, collectionsBy: scenario.collectionsBy }))
      meetings.set(code, meeting)
      return meeting
    },
    async stop() {
      for (const meeting of meetings.values()) meeting.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...meetings.values()].map(({ space }) => space.close()))
    },
  }
}
