// Who receives, and how many requests each may have at once: one until it has answered, then four.
const MOST_AT_ONCE = 4
const MOST_REMEMBERED = 10_000

type Receiver = { inFlight: number; answers: boolean }

export type Receivers = {
  /** How many more requests each receiver that is known may get. */
  free(): ReadonlyMap<string, number>
  inFlight(): number
  began(receiver: string): void
  ended(receiver: string, answered: boolean): void
}

/** A receiver that hangs holds one request, so a thousand of them cannot use up what the others need. */
export function createReceivers(): Receivers {
  const known = new Map<string, Receiver>()
  let inFlight = 0
  return {
    free: () => new Map([...known].map(([name, it]) => [name, Math.max(0, (it.answers ? MOST_AT_ONCE : 1) - it.inFlight)])),
    inFlight: () => inFlight,
    began(name) {
      const it = known.get(name) ?? { inFlight: 0, answers: false }
      it.inFlight += 1
      inFlight += 1
      known.set(name, it)
    },
    ended(name, answered) {
      const it = known.get(name)
      if (!it) return
      it.inFlight -= 1
      inFlight -= 1
      it.answers = answered
      // Not known means one at a time, which is all there is to remember of it.
      if (it.inFlight === 0 && (!answered || known.size > MOST_REMEMBERED)) known.delete(name)
    },
  }
}
