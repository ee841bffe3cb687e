// Sends queued deliveries, one attempt at a time per bot and receiver, so that a receiver gets a bot's events in order.
import { startDueWork } from '../../kit/due-work.ts'
import { Failure, publicErrorOf } from '../../kit/failure.ts'
import { type HttpClient, NetworkError } from '../../kit/http-client.ts'
import type { Logger } from '../../kit/log.ts'
import type { Loop } from '../../kit/loop.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Db } from '../db/database.ts'
import * as stored from '../db/delivery/deliveries.ts'
import { untilDue } from '../db/until-due.ts'
import { LEASES } from '../leases.ts'
import { disableIfDead } from './endpoints.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { outcomeOf } from './retry.ts'
import { signatureHeaders } from './signature.ts'

const ANSWER_WITHIN_MS = 5_000
const LEASE_SECONDS = LEASES.delivery.seconds
/** A request that begins later could outlast the lease, and arrive after the next event. */
const BEGIN_WITHIN_MS = LEASE_SECONDS * 1_000 - ANSWER_WITHIN_MS - 1_000
const MOST_AT_ONCE = 1_024
const BATCH = 128
const PAUSE_MS = 250
const RELEASE_EVERY_MS = 5_000

export type DeliverDeps = {
  readonly db: Db
  readonly log: Logger
  readonly http: HttpClient
  readonly vault: Vault
  /** The prefix of the specification's two signature headers. */
  readonly headerPrefix: string
  readonly now: () => Date
  readonly random: () => number
  readonly onAttempt?: (attempt: DeliveryAttempt) => void
}

/** One attempt, for metrics and traces. */
export type DeliveryAttempt = Pick<stored.ClaimedDelivery, 'botId' | 'eventId' | 'createdAt'> &
  Pick<stored.Attempt, 'number' | 'at' | 'durationMs' | 'httpStatus'> & { readonly outcome: stored.Outcome['state'] }

/** Stopping waits for the attempts in progress. */
export function startDelivery(deps: DeliverDeps): Loop {
  const receivers = createReceivers()
  let releasedAt = 0

  async function look(): Promise<number> {
    if (deps.now().getTime() - releasedAt > RELEASE_EVERY_MS) {
      await stored.releaseLapsed(deps.db)
      releasedAt = deps.now().getTime()
    }
    return untilDue(deps.db, 'deliveries')
  }

  async function claim(limit: number): Promise<readonly stored.ClaimedDelivery[]> {
    const requestedAt = performance.now()
    const claimed = await stored.claimDeliveries(deps.db, { limit, free: receivers.free(), leaseSeconds: LEASE_SECONDS })
    const lateMs = performance.now() - requestedAt
    if (claimed.length === 0 || lateMs <= BEGIN_WITHIN_MS) return claimed
    deps.log.warn({ lateMs, count: claimed.length }, 'deliveries were claimed too late to be sent; they are sent when their lease lapses')
    return []
  }

  return startDueWork({
    atOnce: MOST_AT_ONCE,
    batch: BATCH,
    lookEveryMs: PAUSE_MS,
    untilDueMs: look,
    claim,
    workAt: (delivery) => attemptDelivery(deps, receivers, delivery),
    onError: (error) => deps.log.error({ err: error }, 'deliveries could not be claimed'),
  })
}

/** One attempt, from the request to its record. Never rejects: an attempt that cannot be recorded is repeated after its lease. */
async function attemptDelivery(deps: DeliverDeps, receivers: Receivers, delivery: stored.ClaimedDelivery): Promise<void> {
  receivers.began(delivery.receiver)
  const attempt = await tryOnce(deps, delivery)
  receivers.ended(delivery.receiver, attempt.httpStatus !== null)
  const outcome = outcomeOf(attempt, delivery, deps.random())
  const { botId, eventId, createdAt } = delivery
  const { number, at, durationMs, httpStatus } = attempt
  deps.onAttempt?.({ botId, eventId, createdAt, number, at, durationMs, httpStatus, outcome: outcome.state })
  try {
    await stored.recordAttempt(deps.db, attempt, outcome)
    if (delivery.endpointId && outcome.state !== 'delivered') await disableIfDead(deps, delivery.endpointId, attempt.at)
  } catch (error) {
    deps.log.error({ err: error, botId: delivery.botId }, 'a delivery attempt could not be recorded; it is repeated')
  }
}

type Try = stored.Attempt & { readonly isPermanent: boolean }

async function tryOnce(deps: DeliverDeps, delivery: stored.ClaimedDelivery): Promise<Try> {
  const at = deps.now()
  const about = { seq: delivery.seq, endpointId: delivery.endpointId, number: delivery.attempt, at }
  try {
    const { body, url } = delivery
    const headers = { 'content-type': 'application/json', ...signatureOf(deps, delivery, at) }
    const { status, head, durationMs } = await deps.http.post(url, { body, headers, timeoutMs: ANSWER_WITHIN_MS })
    const answer = { durationMs: Math.round(durationMs), httpStatus: status, answerHead: storable(head), error: null }
    return { ...about, ...answer, isPermanent: false }
  } catch (error) {
    const durationMs = Math.max(0, deps.now().getTime() - at.getTime())
    const reason = error instanceof NetworkError ? error.reason : 'failed'
    if (!(error instanceof Failure)) deps.log.error({ err: error, botId: delivery.botId }, 'a delivery could not be sent')
    const { message: detail } = publicErrorOf(error, { code: reason, message: 'The delivery could not be sent.' })
    const message = storable(`${reason}: ${detail}`)
    return { ...about, durationMs, httpStatus: null, answerHead: null, error: message, isPermanent: PERMANENT.has(reason) }
  }
}

/** Reasons that a retry cannot change. */
const PERMANENT: ReadonlySet<string> = new Set(['blocked_address', 'bad_url'])

/** An address given with a bot has no secret. */
function signatureOf(
  { vault, headerPrefix }: DeliverDeps,
  { endpointId, secret, eventId, body }: stored.ClaimedDelivery,
  at: Date,
): Record<string, string> {
  if (!endpointId) return {}
  // The endpoint was deleted at the moment of the claim.
  if (!secret) throw new NetworkError('bad_url', 'The endpoint was deleted or disabled.')
  return signatureHeaders(opened(vault, endpointId, secret), { id: eventId, at, body }, headerPrefix)
}

function opened(vault: Vault, endpointId: string, secret: Buffer): string {
  try {
    return vault.open(endpointId, secret)
  } catch (cause) {
    throw new Failure('failed', 'The secret of the endpoint cannot be decrypted with this SECRET_KEY. Rotate the secret.', { cause })
  }
}

/** PostgreSQL's text type cannot hold the NUL character. */
function storable(text: string): string {
  return text.replaceAll('\0', '')
}
