// Microsoft Teams on this machine: its site, its media and Microsoft's sign-in pages behind one port, for a Chromium that is told
// where the real hosts are.
//
//   const teams = await startTeams()
//   const meeting = teams.meeting({ knock: 'lobby' })
//   await meeting.call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440 })
//   // ... a browser with `teams.flags` opens meeting.url ...
//   await until('it waits', () => meeting.waiting().length > 0)
//   meeting.admit()
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { MicrosoftAccounts, type MicrosoftAccountsOptions, signInUrl } from '../microsoft-accounts/accounts.ts'
import { makeCertificate } from '../site/certificate.ts'
import { ONE_PATH } from '../webrtc/peer.ts'
import type { Asked, Meeting } from './site/control.ts'
import { newIdentity } from './site/links.ts'
import { MeetingServer } from './site/meeting.ts'
import { type Scenario, scenarioOf } from './site/scenario.ts'
import { Site } from './site/server.ts'

export type { Meeting, Scenario }

export type Teams = {
  readonly port: number
  /** For a Chromium: all of these hosts are here, and this certificate is good. */
  readonly flags: readonly string[]
  readonly asked: readonly Asked[]
  readonly accounts: MicrosoftAccounts
  /** A meeting with links of its own. `channel` is a meeting of a channel, whose thread ends in `tacv2`. */
  meeting(differences?: Partial<Scenario>, kind?: 'meeting' | 'channel'): Meeting
  stop(): Promise<void>
}

const DOMAINS = [
  ...['teams.microsoft.com', '*.teams.microsoft.com', 'teams.live.com', 'teams.cloud.microsoft', '*.cloud.microsoft'],
  ...['teams.microsoft.us', '*.teams.microsoft.us', '*.microsoftonline.com', '*.microsoftonline.us', 'login.microsoft.com'],
  ...[
    '*.microsoftonline.de',
    '*.microsoftonline.cn',
    'login.windows.net',
    'login.live.com',
    'office.com',
    '*.office.com',
    'www.google.com',
  ],
]

export async function startTeams(options: MicrosoftAccountsOptions = { accounts: [] }): Promise<Teams> {
  const { key, cert, spki } = await makeCertificate(DOMAINS)
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const accounts = new MicrosoftAccounts(options)
  const site = new Site({ meetings, asked, accounts })
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
    port,
    flags: [`--host-resolver-rules=${rules}`, `--ignore-certificate-errors-spki-list=${spki}`, ONE_PATH],
    asked,
    accounts,
    meeting(differences = {}, kind = 'meeting') {
      const scenario = scenarioOf(differences)
      const meeting = new MeetingServer(newIdentity(scenario.passcode, kind), scenario, signInUrl)
      meetings.set(meeting.identity.conversationId, meeting).set(meeting.identity.digits, meeting)
      return meeting
    },
    async stop() {
      const all = new Set(meetings.values())
      for (const meeting of all) meeting.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await Promise.all([...all].map(({ call }) => call.close()))
    },
  }
}
