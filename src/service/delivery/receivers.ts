// The number of concurrent requests of each receiver: one until it answers, then four.
const MOST_AT_ONCE = 4
const MOST_REMEMBERED = 10_000

type Receiver = { inFlight: number; answers: boolean }

export type Receivers = {
  /** How many more requests each known receiver may get. */
  free(): ReadonlyMap<string, number>
  began(receiver: string): void
  ended(receiver: string, answered: boolean): void
}

/** A receiver that hangs holds one request, so that a thousand of them cannot use up the capacity. */
export function createReceivers(): Receivers {
  const known = new Map<string, Receiver>()
  return {
    free: () => new Map([...known].map(([name, it]) => [name, Math.max(0, (it.answers ? MOST_AT_ONCE : 1) - it.inFlight)])),
    began(name) {
      const it = known.get(name) ?? { inFlight: 0, answers: false }
      it.inFlight += 1
      known.set(name, it)
    },
    ended(name, answered) {
      const it = known.get(name)
      if (!it) return
      it.inFlight -= 1
      it.answers = answered
      // An unknown receiver may have one request, which is the state to restore.
      if (it.inFlight === 0 && (!answered || known.size > MOST_REMEMBERED)) known.delete(name)
    },
  }
}
