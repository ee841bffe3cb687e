// Creates a bot: checks login, credits and keys, and writes everything in one transaction.
import type { Bot, BotId, JsonObject, LoginId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { worksLive } from '../../../domain/speech-providers.ts'
import { newId } from '../../../kit/id.ts'
import { checkCredits } from '../../accounts/credits.ts'
import { pickLogin } from '../../accounts/logins.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import { findByKey } from '../../db/fleet/bots.ts'
import { launchTime } from './schedule.ts'
import { begin, type FleetDeps, type NewBot } from './transition.ts'

type Given = 'workspaceId' | 'spec' | 'joinAt' | 'deduplicationKey' | 'callbackUrl' | 'customAttributes'

export type BotRequest = Pick<Bot, Given> & {
  readonly idempotencyKey: string | null
  /** The request body without secrets. */
  readonly echo: JsonObject
}

export type Creation =
  | { readonly kind: 'created'; readonly bot: NewBot }
  /** The Idempotency-Key was used before: no bot is created. */
  | { readonly kind: 'replayed'; readonly bot: Bot }
  /** The deduplication_key was used for this meeting before: no bot is created. */
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
    deps.observe?.({ kind: 'created', botId: creation.bot.id, platform: request.spec.meeting.platform })
    deps.onNews()
    deps.onDue()
  }
  return creation
}

/** The transaction locks logins and credits until the bot is written. Without either, one statement suffices. */
function withLocks<Result>({ db, tariff }: FleetDeps, { spec }: BotRequest, work: (db: Db) => Promise<Result>): Promise<Result> {
  return spec.signIn || tariff.enforced ? inTransaction(db, work) : work(db)
}

/** A scheduled bot takes its login when it starts. Its existence is checked now as well. */
async function reserveLogin(tx: Db, { workspaceId, spec, joinAt }: BotRequest): Promise<LoginId | null> {
  if (!spec.signIn) return null
  const login = await pickLogin(tx, workspaceId, spec.signIn, joinAt ? 'later' : 'now')
  return joinAt ? null : login
}

function newBot({ echo, ...given }: BotRequest, loginId: LoginId | null, at: Date): NewBot {
  return {
    ...given,
    id: newId('bot', at) as BotId,
    createdAt: at,
    launchAt: given.joinAt ? launchTime(given.joinAt) : at,
    // A live provider's transcript is the record, so none is made afterwards.
    transcriptId: worksLive(given.spec.transcript.provider) ? null : newId('trn', at),
    loginId,
    request: echo,
  }
}

/** The bot whose key this request repeats. Idempotency-Key takes precedence over deduplication_key. */
async function earlier(tx: Db, request: BotRequest): Promise<Creation> {
  const { workspaceId, idempotencyKey, deduplicationKey, spec } = request
  const replayed = idempotencyKey ? await findByKey(tx, workspaceId, { idempotency: idempotencyKey }) : null
  if (replayed) return { kind: 'replayed', bot: replayed }

  const bot = deduplicationKey ? await findByKey(tx, workspaceId, { deduplication: deduplicationKey }) : null
  if (!bot) throw new Error('create: the database refused the keys of a bot, but no bot has them')
  if (bot.platform === spec.meeting.platform && bot.meetingId === spec.meeting.meetingId) return { kind: 'duplicate', bot }
  throw new ServiceError('conflict', `deduplication_key ${deduplicationKey} belongs to a bot of another meeting.`, {
    existing_bot_id: bot.id,
    existing_meeting_url: bot.meetingUrl,
  })
}
