// Runs password hashes a few at a time. Networks take turns, so one that floods delays each other network by one hash.
import { tooMany } from '../../domain/errors.ts'

/** Each running hash takes 19 MiB. */
const MAX_RUNNING = 2
const MAX_WAITING_PER_NETWORK = 8
/** Bounds memory. A full queue takes about 5 s: a hash takes about 50 ms of a core. */
const MAX_WAITING = 200
const RETRY_MS = 5_000

type RoundRobin = <Result>(network: string, work: () => Promise<Result>) => Promise<Result>

/** Rejects work of a network that has too much waiting. */
export function createRoundRobin(): RoundRobin {
  // A map keeps its order: the first network is next, and goes to the end after its turn.
  const waiting = new Map<string, (() => void)[]>()
  let running = 0
  let waitingInAll = 0

  function wait(network: string): Promise<void> {
    const own = waiting.get(network) ?? []
    if (own.length >= MAX_WAITING_PER_NETWORK || waitingInAll >= MAX_WAITING) throw tooMany('Too many sign-ins at the same time.', RETRY_MS)
    waiting.set(network, own)
    waitingInAll += 1
    return new Promise((resolve) => own.push(resolve))
  }

  function startNext(): void {
    const [next] = waiting
    if (!next) {
      running -= 1
      return
    }
    const [network, [start, ...later]] = next
    waiting.delete(network)
    if (later.length > 0) waiting.set(network, later)
    waitingInAll -= 1
    start?.()
  }

  return async (network, work) => {
    if (running >= MAX_RUNNING) await wait(network)
    else running += 1
    try {
      return await work()
    } finally {
      startNext()
    }
  }
}
