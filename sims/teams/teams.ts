// Microsoft Teams on this machine: its site, media and sign-in pages behind one port, for a Chromium whose flags lead the real hosts here.
//
//   const teams = await startTeams()
//   const meeting = teams.meeting({ knock: 'lobby' })
//   await meeting.call.join({ name: 'Ann', colour: '#dc1e1e', voice: 440 })
//   // ... a browser with `teams.flags` opens meeting.url ...
//   await until('it waits', () => meeting.waiting().length > 0)
//   meeting.admit()
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MicrosoftAccounts, type MicrosoftAccountsOptions, signInUrl } from '../microsoft-accounts/accounts.ts'
import { serveSite } from '../site/serve.ts'
import type { Asked, Meeting } from './site/control.ts'
import { newIdentity } from './site/links.ts'
import { MeetingServer } from './site/meeting.ts'
import { type Scenario, scenarioOf } from './site/scenario.ts'
import { Site } from './site/server.ts'

export type { Meeting, Scenario }

export type Teams = {
  readonly port: number
  /** For a Chromium: maps all of these hosts to this machine and accepts the certificate. */
  readonly flags: readonly string[]
  readonly asked: readonly Asked[]
  readonly accounts: MicrosoftAccounts
  /** Stands for https://login.microsoftonline.com in requests of programs, over plain HTTP. */
  readonly loginUrl: string
  /** A meeting with its own links. `channel` is a channel meeting, whose thread ends in `tacv2`. */
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
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const accounts = new MicrosoftAccounts(options)
  const { port, flags, close } = await serveSite(DOMAINS, new Site({ meetings, asked, accounts }))
  const tokens = createServer((request, response) => void accounts.handleToken(request, response))
  await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve))
  return {
    port,
    flags,
    asked,
    accounts,
    loginUrl: `http://127.0.0.1:${(tokens.address() as AddressInfo).port}`,
    meeting(differences = {}, kind = 'meeting') {
      const scenario = scenarioOf(differences)
      const meeting = new MeetingServer(newIdentity(scenario.passcode, kind), scenario, {
        signInUrl,
        isRegistered: (token) => accounts.isRegistered(token),
      })
      meetings.set(meeting.identity.conversationId, meeting).set(meeting.identity.digits, meeting)
      return meeting
    },
    async stop() {
      const all = new Set(meetings.values())
      for (const meeting of all) meeting.stop()
      tokens.closeAllConnections()
      await Promise.all([close(), new Promise((resolve) => tokens.close(resolve))])
      await Promise.all([...all].map((meeting) => meeting.close()))
    },
  }
}
