// Counts events of bots and deliveries in the code that causes them.
import { TERMINAL } from '../../domain/lifecycle.ts'
import { PLATFORMS } from '../../domain/platforms.ts'
import type { DeliveryAttempt } from '../delivery/deliver.ts'
import type { BotMoved, FleetEvent, Observe } from '../fleet/fleet-events.ts'
import type { Metrics } from './metrics.ts'

type Counters = { readonly [Kind in FleetEvent['kind']]: (metrics: Metrics, event: Extract<FleetEvent, { kind: Kind }>) => void }

const COUNTERS: Counters = {
  created: ({ botsCreated }, { platform }) => botsCreated.inc({ platform: PLATFORMS[platform].wireName }),
  moved: countMove,
  seated: ({ seatWait }, { botId, platform, dueAt, claimedAt }) =>
    seatWait(botId, secondsBetween(dueAt, claimedAt), { platform: PLATFORMS[platform].wireName }),
  lost: ({ losses }, { reason }) => losses.inc({ reason }),
  returned: ({ absence }, { botId, lostAt, at }) => absence(botId, secondsBetween(lostAt, at), {}),
  measured({ framesLost, liveDelay }, { botId, lostFrames, liveAudioMs, liveWordsMs }) {
    for (const cause of ['page', 'recording'] as const) framesLost.inc({ cause }, lostFrames[cause])
    if (liveAudioMs !== null) liveDelay(botId, liveAudioMs / 1000, { output: 'audio' })
    for (const delayMs of liveWordsMs) liveDelay(botId, delayMs / 1000, { output: 'words' })
  },
  step: ({ processing }, { botId, step, from, to }) => processing(botId, secondsBetween(from, to), { step }),
}

export function countEvents(metrics: Metrics): Observe {
  return (event) => count(metrics, event)
}

function count<Kind extends FleetEvent['kind']>(metrics: Metrics, event: Extract<FleetEvent, { kind: Kind }>): void {
  COUNTERS[event.kind as Kind](metrics, event)
}

function countMove(metrics: Metrics, { botId, platform: platformName, to, at, reason, joinAt, createdAt, hadEntered }: BotMoved): void {
  const platform = PLATFORMS[platformName].wireName
  if (to === 'InWaitingRoom' && joinAt) metrics.lateness(botId, secondsBetween(joinAt, at), { platform })
  if (to === 'InMeeting') {
    metrics.join(botId, secondsBetween(joinAt ?? createdAt, at), { platform })
    metrics.joinOutcomes.inc({ platform, outcome: to, reason: '' })
  }
  if (!TERMINAL.has(to) || AFTER_THE_END.has(to)) return
  metrics.botsEnded.inc({ platform, status: to, reason: reason ?? '' })
  if (!hadEntered && to !== 'Cancelled') metrics.joinOutcomes.inc({ platform, outcome: to, reason: reason ?? '' })
}

/** Statuses that follow another terminal one. */
const AFTER_THE_END: ReadonlySet<string> = new Set(['Done', 'MediaExpired'])

/** An event that is delivered later than at the first attempt waited for its receiver. */
export function countAttempt(metrics: Metrics, { botId, number, outcome, at, durationMs, createdAt }: DeliveryAttempt): void {
  metrics.deliveryAttempts(botId, durationMs / 1000, { outcome })
  const lag = secondsBetween(createdAt, at) + durationMs / 1000
  if (outcome === 'delivered') metrics.deliveryLag(botId, lag, { attempt: number === 1 ? 'first' : 'later' })
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000
}
