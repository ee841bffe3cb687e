// The calendar service without HTTP: a real database, a real provider client, and a clock set by the test.
import { pino } from 'pino'
import type { GoogleAccount, GoogleSim } from '../../../sims/calendars/google.ts'
import type { ConnectionId, UserId, WorkspaceId } from '../../../src/domain/bot.ts'
import { createVault } from '../../../src/service/accounts/secrets.ts'
import { createWorkspace } from '../../../src/service/accounts/workspaces.ts'
import { connectCalendar } from '../../../src/service/calendar/connect.ts'
import type { CalendarDeps } from '../../../src/service/calendar/deps.ts'
import { openGoogle } from '../../../src/service/calendar/google.ts'
import { autoSchedule } from '../../../src/service/calendar/schedule.ts'
import { type SyncReport, syncConnection } from '../../../src/service/calendar/sync-connection.ts'
import { claimSync } from '../../../src/service/db/calendar/connections.ts'
import type { TestDb } from '../service/database.ts'
import { specFor } from '../service/fleet.ts'

type ScheduledBot = { readonly id: string; readonly link: string; readonly start: number }

export type CalendarFixture = {
  readonly deps: CalendarDeps
  readonly caller: { readonly workspaceId: WorkspaceId; readonly userId: UserId }
  connect(account: GoogleAccount): Promise<ConnectionId>
  sync(id: ConnectionId): Promise<SyncReport>
  /** Scheduled bots, soonest first. */
  scheduled(): Promise<readonly ScheduledBot[]>
}

export async function createCalendarFixture(
  db: TestDb,
  google: GoogleSim,
  now: () => Date,
  email = 'bench@example.com',
): Promise<CalendarFixture> {
  const { workspaceId, userId } = await createWorkspace(db, { name: 'bench', email, at: now() })
  const caller = { workspaceId, userId }
  const tariff = { enforced: false, pricePerHour: 0, currency: 'USD' }
  const deps: CalendarDeps = {
    db,
    now,
    vault: createVault('a key for the bench'),
    log: pino({ level: 'silent' }),
    pollSeconds: 60,
    fleet: { db, tariff, onNews: () => undefined, onDue: () => undefined },
    publicUrl: () => 'http://rooms.example',
    pushUrl: () => null,
    opened: new Map(),
    openAccount: (_, credentials) => openGoogle(credentials, { apiUrl: google.url, tokenUrl: google.tokenUrl, random: () => 0, now }),
    prepareBot: async (_, config, url) => ({
      spec: specFor(url, {}, 'http://rooms.example'),
      callbackUrl: null,
      customAttributes: {},
      echo: config,
    }),
  }
  return {
    deps,
    caller,
    async connect({ credentials: it }) {
      const credentials = { clientId: it.google_client_id, clientSecret: it.google_client_secret, refreshToken: it.google_refresh_token }
      return (await connectCalendar(deps, { ...caller, provider: 'google', credentials, botConfig: {} })).id
    },
    async sync(id) {
      const connection = await claimSync(db, id, 120)
      if (!connection) throw new Error('the calendar is not connected')
      return syncConnection(deps, connection)
    },
    async scheduled() {
      const rows = await db
        .selectFrom('bots')
        .select(['id', 'meeting_url', 'join_at'])
        .where('workspace_id', '=', workspaceId)
        .where('status', '=', 'Scheduled')
        .orderBy('join_at')
        .orderBy('id')
        .execute()
      return rows.map((row) => ({ id: row.id, link: row.meeting_url, start: (row.join_at?.getTime() ?? 0) + 60_000 }))
    },
  }
}

export function enableAuto({ deps, caller }: CalendarFixture): Promise<void> {
  return autoSchedule(deps, caller, true, {})
}
