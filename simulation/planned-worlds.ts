// Worlds that are changed on purpose: a full hour, and a node that drains.
import { between, randomFrom } from './random.ts'
import { type Scenario, type Size, SMALL, scenarioOf } from './scenario.ts'

/** In one of so many small worlds a node drains. */
const ONE_DRAINS_OF = 7

export function worldOf(seed: number, size: Size): Scenario {
  const scenario = scenarioOf(seed, size)
  return size.bots <= SMALL && seed % ONE_DRAINS_OF === 0 ? drainedOf(scenario) : scenario
}

/** More than the longest time by which a bot begins earlier. */
const FULL_HOUR_AFTER_MS = 70_000

/** The same world with all bots due at one instant, and without failures. */
export function fullHourOf(scenario: Scenario): Scenario {
  const joinAtMs = Math.max(...scenario.bots.map(({ createAtMs }) => createAtMs)) + FULL_HOUR_AFTER_MS
  const bots = scenario.bots.map((bot) => ({ ...bot, joinAtMs, fate: 'stays' as const, endsAtMs: bot.endsAtMs + joinAtMs }))
  return { ...scenario, bots, faults: [], startsAtMs: scenario.startsAtMs.map(() => 0) }
}

/** No meeting ends before. */
const AFTER_DRAIN_MS = 40_000

/** The same world with a node that drains while its bots are in meetings, instead of the first fault. */
function drainedOf({ bots, faults: [, ...faults], ...scenario }: Scenario): Scenario {
  const drain = {
    kind: 'drain service',
    machine: 0,
    atMs: Math.round(between(randomFrom(scenario.seed, 'drain'), 5_000, 12_000)),
    forMs: 2_000,
    step: 'now',
  } as const
  const long = bots.map((bot) => ({ ...bot, joinAtMs: null, endsAtMs: Math.max(bot.endsAtMs, AFTER_DRAIN_MS) }))
  return { ...scenario, bots: long, faults: [drain, ...faults].toSorted((a, b) => a.atMs - b.atMs) }
}
