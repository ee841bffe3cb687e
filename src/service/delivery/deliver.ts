// Sends what is queued: one attempt at a time per bot and receiver, so that each hears a bot's events in order.
import { Failure, toldOf } from '../../kit/failure.ts'
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { type Outgoing, OutgoingError } from '../../kit/outgoing.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Db } from '../db/database.ts'
import { type Attempt, type ClaimedDelivery, claimDeliveries, type Outcome, recordAttempt, releaseLapsed } from '../db/deliveries.ts'
import { disableIfDead } from './endpoints.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { outcomeOf } from './retry.ts'
import { signatureHeaders } from './signature.ts'

const ANSWER_WITHIN_MS = 5_000
/** A sender that holds a delivery longer is taken for dead, and the next one sends it. */
const LEASE_SECONDS = 12
/** A request that begins later could still be under way when the lease ends, and arrive behind the next event. */
const BEGIN_WITHIN_MS = LEASE_SECONDS * 1_000 - ANSWER_WITHIN_MS - 1_000
const MOST_AT_ONCE = 1_024
const BATCH = 128
const PAUSE_MS = 250
const RELEASE_EVERY_MS = 5_000

export type DeliverDeps = {
  readonly db: Db
  readonly log: Logger
  readonly outgoing: Outgoing
  readonly vault: Vault
  /** Names the two signature headers of the specification. */
  readonly headerPrefix: string
  readonly now: () => Date
  readonly random: () => number
  readonly onAttempt?: (outcome: Outcome['state'], durationMs: number) => void
}

/** Stopping waits for the attempts under way. */
export function startDelivery(deps: DeliverDeps): Loop {
  const receivers = createReceivers()
  const underWay = new Set<Promise<void>>()
  let released = 0

  async function work(): Promise<number> {
    if (deps.now().getTime() - released > RELEASE_EVERY_MS) {
      await releaseLapsed(deps.db)
      released = deps.now().getTime()
    }
    const limit = Math.min(BATCH, MOST_AT_ONCE - receivers.inFlight())
    if (limit <= 0) return PAUSE_MS
    const askedAt = performance.now()
    const claimed = await claimDeliveries(deps.db, { limit, free: receivers.free(), leaseSeconds: LEASE_SECONDS })
    const lateMs = performance.now() - askedAt
    if (claimed.length > 0 && lateMs > BEGIN_WITHIN_MS) {
      deps.log.warn({ lateMs, count: claimed.length }, 'claimed deliveries came too late to be sent; their lease gives them back')
      return PAUSE_MS
    }
    for (const delivery of claimed) {
      const attempt = attend(deps, receivers, delivery).finally(() => {
        underWay.delete(attempt)
        loop.wake()
      })
      underWay.add(attempt)
    }
    return claimed.length === limit ? 0 : PAUSE_MS
  }

  const loop = startLoop({ work, onError: (error) => deps.log.error({ err: error }, 'delivery failed'), retryMs: 1_000 })
  return {
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      await Promise.all(underWay)
    },
  }
}

/** One attempt from request to record. It never rejects: what cannot be recorded is sent again after its lease. */
async function attend(deps: DeliverDeps, receivers: Receivers, delivery: ClaimedDelivery): Promise<void> {
  receivers.began(delivery.receiver)
  const attempt = await tryOnce(deps, delivery)
  receivers.ended(delivery.receiver, attempt.httpStatus !== null)
  const outcome = outcomeOf(attempt, delivery, deps.random())
  deps.onAttempt?.(outcome.state, attempt.durationMs)
  try {
    await recordAttempt(deps.db, attempt, outcome)
    if (delivery.endpointId && outcome.state !== 'delivered') await disableIfDead(deps, delivery.endpointId, attempt.at)
  } catch (error) {
    deps.log.error({ err: error, botId: delivery.botId }, 'attempt could not be recorded')
  }
}

type Try = Attempt & { readonly isHopeless: boolean }

async function tryOnce(deps: DeliverDeps, delivery: ClaimedDelivery): Promise<Try> {
  const at = deps.now()
  const about = { seq: delivery.seq, endpointId: delivery.endpointId, number: delivery.attempt, at }
  try {
    const { body, url } = delivery
    const headers = { 'content-type': 'application/json', ...signatureOf(deps, delivery, at) }
    const { status, head, durationMs } = await deps.outgoing.post(url, { body, headers, timeoutMs: ANSWER_WITHIN_MS })
    const answer = { durationMs: Math.round(durationMs), httpStatus: status, answerHead: storable(head), error: null }
    return { ...about, ...answer, isHopeless: false }
  } catch (error) {
    const durationMs = Math.max(0, deps.now().getTime() - at.getTime())
    const reason = error instanceof OutgoingError ? error.reason : 'failed'
    if (!(error instanceof Failure)) deps.log.error({ err: error, botId: delivery.botId }, 'delivery could not be sent')
    const { message: words } = toldOf(error, { code: reason, message: 'The delivery could not be sent.' })
    const message = storable(`${reason}: ${words}`)
    return { ...about, durationMs, httpStatus: null, answerHead: null, error: message, isHopeless: HOPELESS.has(reason) }
  }
}

/** What another try cannot change. */
const HOPELESS: ReadonlySet<string> = new Set(['blocked_address', 'bad_url'])

/** An address that came with a bot has no secret. */
function signatureOf(
  { vault, headerPrefix }: DeliverDeps,
  { endpointId, secret, eventId, body }: ClaimedDelivery,
  at: Date,
): Record<string, string> {
  if (!endpointId) return {}
  // It was claimed in the moment in which its endpoint went.
  if (!secret) throw new OutgoingError('bad_url', 'The endpoint was deleted or disabled.')
  return signatureHeaders(opened(vault, endpointId, secret), { id: eventId, at, body }, headerPrefix)
}

function opened(vault: Vault, endpointId: string, secret: Buffer): string {
  try {
    return vault.open(endpointId, secret)
  } catch (cause) {
    throw new Failure('failed', 'The secret of the endpoint does not open with this SECRET_KEY. Rotate it.', { cause })
  }
}

/** PostgreSQL's text cannot hold the NUL character. */
function storable(text: string): string {
  return text.replaceAll('\0', '')
}
