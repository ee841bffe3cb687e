// A fleet without HTTP: a workspace on a real database, and bots created through the use cases.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BotId, BotSpec, LoginId, WorkspaceId } from '../../../src/domain/bot.ts'
import { type MeetingLink, parseMeetingLink } from '../../../src/domain/meeting-link.ts'
import type { BotOrders } from '../../../src/domain/protocol.ts'
import { SPEC_DEFAULTS } from '../../../src/domain/spec-defaults.ts'
import { newId } from '../../../src/kit/id.ts'
import { createLog } from '../../../src/kit/log.ts'
import { createSemaphore } from '../../../src/kit/semaphore.ts'
import type { Tariff } from '../../../src/service/accounts/credits.ts'
import { createWorkspace } from '../../../src/service/accounts/workspaces.ts'
import { insertDomain, insertLogin } from '../../../src/service/db/accounts/logins.ts'
import { claimDue, type DueBot } from '../../../src/service/db/fleet/claims.ts'
import { claimRecording, type DueRecording } from '../../../src/service/db/media/recordings.ts'
import { type BotRequest, createBot } from '../../../src/service/fleet/bot/create.ts'
import type { FleetDeps } from '../../../src/service/fleet/bot/transition.ts'
import { processRecording } from '../../../src/service/media/recording-steps.ts'
import { DEFAULT_ENCODER } from '../../../src/service/media/video/encoder.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import type { TestDb } from './database.ts'

/** Claims everything that is due, as a node with many seats does. */
export function claimAll(db: TestDb, leaseSeconds = 60, nodeId = 'node_1'): Promise<DueBot[]> {
  return claimDue(db, {
    nodeId,
    leaseSeconds,
    seats: { open: 1_000, seatsPerBrowser: 1, own: new Map() },
    limit: 1_000,
    mostPerWorkspace: null,
    aheadMs: 0,
  })
}

/** A look at lapsed leases by a node that may end all of them. */
export const LOOK = { nodeId: 'node_looking', validUntil: 'infinity', left: [] }

const FREE: Tariff = { enforced: false, pricePerHour: 0.36, currency: 'USD' }

export type TestFleet = {
  readonly deps: FleetDeps & { readonly now: () => Date }
  readonly workspaceId: WorkspaceId
  request(change?: Partial<BotRequest>): BotRequest
  /** Creates a bot and returns its id. */
  create(change?: Partial<BotRequest>, at?: Date): Promise<string>
  eventsOf(botId: string): Promise<Record<string, unknown>[]>
}

export async function createTestFleet(db: TestDb, { tariff = FREE, now = () => new Date() } = {}): Promise<TestFleet> {
  const { workspaceId } = await createWorkspace(db, { name: 'fleet', email: 'fleet@example.com', at: now() })
  const deps = { db, tariff, now, onNews: () => undefined, onDue: () => undefined }
  const request = (change: Partial<BotRequest> = {}): BotRequest => ({
    workspaceId,
    spec: specFor('https://meet.google.com/abc-defg-hij'),
    joinAt: null,
    idempotencyKey: null,
    deduplicationKey: null,
    callbackUrl: null,
    customAttributes: {},
    echo: {},
    ...change,
  })
  return {
    deps,
    workspaceId,
    request,
    async create(change, at = now()) {
      const creation = await createBot(deps, request(change), at)
      return creation.bot.id
    },
    async eventsOf(botId) {
      const rows = await db.selectFrom('events').select('body').where('bot_id', '=', botId).orderBy('seq').execute()
      return rows.map(({ body }) => JSON.parse(body))
    },
  }
}

/** Claims all due recordings, as a node with many places does. */
export async function claimAllRecordings(db: TestDb): Promise<readonly DueRecording[]> {
  const claimed: DueRecording[] = []
  for (let bot = await claimRecording(db, ANY); bot; bot = await claimRecording(db, ANY)) claimed.push(bot)
  return claimed
}

const ANY = { leaseSeconds: 600, mostSeconds: null }

/** Processes all due recordings, as the service's worker does. */
export async function processDue(deps: TestFleet['deps']): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-processing-'))
  const store = await openLocalDisk(join(folder, 'objects'))
  const due = await claimAllRecordings(deps.db)
  for (const bot of due)
    await processRecording(
      {
        ...deps,
        store,
        folder,
        piecesAtOnce: () => 1,
        inTurn: createSemaphore(() => 1),
        encoder: DEFAULT_ENCODER,
        log: createLog({ level: 'silent', pretty: false }),
      },
      bot,
      new AbortController().signal,
    )
  await rm(folder, { recursive: true, force: true })
}

/** `roomBase`: the address of the built-in room. */
export function specFor(link: string, change: Partial<BotSpec> = {}, roomBase?: string): BotSpec {
  const meeting = parseMeetingLink(link, roomBase ? { roomBase } : {})
  if (meeting.kind === 'problem') throw new Error(meeting.message)
  return { ...SPEC_DEFAULTS, retentionHours: 720, meeting: meeting as MeetingLink, ...change }
}

/** Orders for a bot of Google Meet that records and nothing more. */
export function ordersFor(change: Partial<BotOrders> = {}): BotOrders {
  return {
    botId: 'bot_1' as BotId,
    fence: 1,
    spec: specFor('https://meet.google.com/abc-defg-hij'),
    folder: '/nowhere',
    allowPrivateUrls: false,
    customAttributes: {},
    isGreeted: false,
    recordedBefore: null,
    beside: null,
    words: null,
    signIn: null,
    identity: null,
    driver: 'google_meet',
    sdkFolder: null,
    pageRules: null,
    voice: null,
    ...change,
  }
}

export async function addTeamsLogins(db: TestDb, workspaceId: WorkspaceId, domain: string, emails: readonly string[]): Promise<void> {
  const at = new Date()
  await insertDomain(db, { platform: 'teams', domain, workspaceId, name: null, loginMode: 'always', createdAt: at })
  for (const email of emails) {
    const id = newId('lgn', at) as LoginId
    await insertLogin(db, { id, platform: 'teams', domain, workspaceId, email, secret: Buffer.from('x'), isActive: true, at })
  }
}
