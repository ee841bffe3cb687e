// Google Meet on this machine: the site and its media behind one port, for a Chromium whose flags lead meet.google.com here.
//
//   const meet = await startMeet()
//   const meeting = meet.meeting('abc-defg-hij', { knock: 'lobby', notices: ['devices'] })
//   await meeting.space.join({ name: 'Ann', colour: '#dc1e1e', voice: 440 })
//   // ... a browser with `meet.flags` opens meeting.url ...
//   await until('it knocks', () => meeting.knocks().length > 0)
//   meeting.admit()
import { serveSite } from '../site/serve.ts'
import { createMeetSpace } from './sfu/space.ts'
import { MeetingServer } from './site/meeting.ts'
import type { Asked, Meeting } from './site/meeting-types.ts'
import { Rooms } from './site/rooms.ts'
import { type Scenario, scenarioOf } from './site/scenario.ts'
import { createSite, type Mount } from './site/server.ts'

export type { Meeting, Scenario }

export type MeetOptions = {
  /** Handles requests to other hosts, such as the accounts' pages, before this site does. */
  readonly mount?: Mount
}

export type Meet = {
  readonly port: number
  /** For a Chromium: maps every host of Google to this machine and accepts the certificate. */
  readonly flags: readonly string[]
  /** Every request, of all meetings and hosts. */
  readonly asked: readonly Asked[]
  /** Creates the meeting of a link. Any other link leads to "Check your meeting code". */
  meeting(code: string, differences?: Partial<Scenario>): Meeting
  stop(): Promise<void>
}

const HOSTS = ['meet.google.com', '*.google.com', '*.googleusercontent.com']

export async function startMeet({ mount = () => false }: MeetOptions = {}): Promise<Meet> {
  const meetings = new Map<string, MeetingServer>()
  const asked: Asked[] = []
  const { port, flags, close } = await serveSite(HOSTS, createSite({ meetings, asked, mount }))
  return {
    port,
    flags,
    asked,
    meeting(code, differences = {}) {
      if (meetings.has(code)) throw new Error(`The meeting ${code} already exists`)
      const scenario = scenarioOf(differences)
      const rooms = new Rooms(() => createMeetSpace({ ...scenario.space, collectionsBy: scenario.collectionsBy }))
      const meeting = new MeetingServer(code, scenario, rooms)
      meetings.set(code, meeting)
      return meeting
    },
    async stop() {
      for (const meeting of meetings.values()) meeting.stop()
      await close()
      await Promise.all([...meetings.values()].map((meeting) => meeting.close()))
    },
  }
}
