// Sends what is queued: one attempt at a time per bot and receiver, so that each hears a bot's events in order.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import { type Outgoing, OutgoingError } from '../../kit/outgoing.ts'
import type { Db } from '../db/database.ts'
import { type Attempt, type ClaimedDelivery, claimDeliveries, type Outcome, recordAttempt, releaseLapsed } from '../db/deliveries.ts'
import { createReceivers, type Receivers } from './receivers.ts'
import { pauseAfter } from './retry.ts'

const ANSWER_WITHIN_MS = 5_000
/** Longer than an attempt and its record can take: whoever holds it then is dead. */
const LEASE_SECONDS = 20
const MOST_AT_ONCE = 1_024
const BATCH = 128
const PAUSE_MS = 250
const RELEASE_EVERY_MS = 5_000

export type DeliverDeps = {
  readonly db: Db
  readonly log: Logger
  readonly outgoing: Outgoing
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
    const claimed = await claimDeliveries(deps.db, { limit, free: receivers.free(), leaseSeconds: LEASE_SECONDS })
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
  const { hopeless, ...attempt } = await tryOnce(deps, delivery)
  receivers.ended(delivery.receiver, attempt.httpStatus !== null)
  const outcome: Outcome = hopeless ? { state: 'failed' } : outcomeOf(attempt, deps.random())
  deps.onAttempt?.(outcome.state, attempt.durationMs)
  await recordAttempt(deps.db, attempt, outcome).catch((error: unknown) => {
    deps.log.error({ err: error, botId: delivery.botId }, 'attempt could not be recorded')
  })
}

type Try = Attempt & { readonly hopeless: boolean }

async function tryOnce({ outgoing, now }: DeliverDeps, { seq, attempt: number, url, body }: ClaimedDelivery): Promise<Try> {
  const at = now()
  const headers = { 'content-type': 'application/json', 'user-agent': 'Emissary/1.0' }
  try {
    const { status, head, durationMs } = await outgoing.post(url, { body, headers, timeoutMs: ANSWER_WITHIN_MS })
    const answerHead = storable(head)
    return { seq, number, at, durationMs: Math.round(durationMs), httpStatus: status, answerHead, error: null, hopeless: false }
  } catch (error) {
    const durationMs = Math.max(0, now().getTime() - at.getTime())
    const reason = error instanceof OutgoingError ? error.reason : 'failed'
    const message = storable(`${reason}: ${error instanceof Error ? error.message : String(error)}`)
    const hopeless = reason === 'blocked_address' || reason === 'bad_url'
    return { seq, number, at, durationMs, httpStatus: null, answerHead: null, error: message, hopeless }
  }
}

/** Any answer is final; silence is tried again. */
function outcomeOf({ httpStatus, number }: Attempt, chance: number): Outcome {
  if (httpStatus !== null) return { state: httpStatus >= 200 && httpStatus < 300 ? 'delivered' : 'failed' }
  const retrySeconds = pauseAfter(number, chance)
  return retrySeconds === null ? { state: 'failed' } : { state: 'queued', retrySeconds }
}

/** PostgreSQL's text cannot hold the NUL character. */
function storable(text: string): string {
  return text.replaceAll('\0', '')
}
