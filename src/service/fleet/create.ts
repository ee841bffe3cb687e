// Makes a bot: login, credits, keys, and then one transaction that either writes everything or nothing.
import type { Bot, BotId, BotSpec, JsonObject, LoginId, WorkspaceId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { worksLive } from '../../domain/speech-providers.ts'
import { newId } from '../../kit/id.ts'
import { checkCredits } from '../accounts/credits.ts'
import { pickLogin } from '../accounts/logins.ts'
import { findByKey } from '../db/bots.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { launchTime } from './schedule.ts'
import { begin, type FleetDeps, type NewBot } from './transition.ts'

export type BotRequest = {
  readonly workspaceId: WorkspaceId
  readonly spec: BotSpec
  /** Null: now. */
  readonly joinAt: Date | null
  readonly idempotencyKey: string | null
  readonly deduplicationKey: string | null
  readonly callbackUrl: string | null
  readonly customAttributes: JsonObject
  /** The body as it came, without secrets. */
  readonly echo: JsonObject
}

export type Creation =
  | { readonly kind: 'created'; readonly bot: NewBot }
  /** The same Idempotency-Key before: nothing new was made. */
  | { readonly kind: 'replayed'; readonly bot: Bot }
  /** The same deduplication_key for the same meeting before: nothing new was made. */
  | { readonly kind: 'duplicate'; readonly bot: Bot }

export async function createBot(deps: FleetDeps, request: BotRequest, at: Date): Promise<Creation> {
  const creation = await withLocks(deps, request, async (db): Promise<Creation> => {
    const loginId = await reserveLogin(db, request)
    await checkCredits(db, deps.tariff, request.workspaceId)
    const bot = newBot(request, loginId, at)
    if (await begin(db, bot, request.joinAt ? 'scheduled' : 'created')) return { kind: 'created', bot }
    return earlier(db, request)
  })
  if (creation.kind === 'created') {
    deps.onNews()
    deps.onDue()
  }
  return creation
}

/** Logins and credits are held until the bot stands. Where neither is asked for, one statement writes it, and it needs no transaction. */
function withLocks<Result>({ db, tariff }: FleetDeps, { spec }: BotRequest, work: (db: Db) => Promise<Result>): Promise<Result> {
  return spec.signIn || tariff.enforced ? inTransaction(db, work) : work(db)
}

/** A scheduled bot takes its login when it starts; that there is one is checked now as well. */
async function reserveLogin(tx: Db, { workspaceId, spec, joinAt }: BotRequest): Promise<LoginId | null> {
  if (!spec.signIn) return null
  const login = await pickLogin(tx, workspaceId, spec.signIn, joinAt ? 'later' : 'now')
  return joinAt ? null : login
}

function newBot(request: BotRequest, loginId: LoginId | null, at: Date): NewBot {
  return {
    id: newId('bot', at) as BotId,
    workspaceId: request.workspaceId,
    spec: request.spec,
    createdAt: at,
    joinAt: request.joinAt,
    launchAt: request.joinAt ? launchTime(request.joinAt) : at,
    idempotencyKey: request.idempotencyKey,
    deduplicationKey: request.deduplicationKey,
    callbackUrl: request.callbackUrl,
    // Live words are the record of a live provider: there is no transcript to read afterwards.
    transcriptId: worksLive(request.spec.transcript.provider) ? null : newId('trn', at),
    loginId,
    customAttributes: request.customAttributes,
    request: request.echo,
  }
}

/** The bot whose key this request repeats. Idempotency-Key wins over deduplication_key. */
async function earlier(tx: Db, request: BotRequest): Promise<Creation> {
  const { workspaceId, idempotencyKey, deduplicationKey, spec } = request
  const replayed = idempotencyKey ? await findByKey(tx, workspaceId, { idempotency: idempotencyKey }) : null
  if (replayed) return { kind: 'replayed', bot: replayed }

  const bot = deduplicationKey ? await findByKey(tx, workspaceId, { deduplication: deduplicationKey }) : null
  if (!bot) throw new Error('create: the database refused a bot whose keys nobody has')
  if (bot.platform === spec.meeting.platform && bot.meetingId === spec.meeting.meetingId) return { kind: 'duplicate', bot }
  throw new ServiceError('conflict', `deduplication_key ${deduplicationKey} is bound to another meeting.`, {
    existing_bot_id: bot.id,
    existing_meeting_url: bot.meetingUrl,
  })
}
