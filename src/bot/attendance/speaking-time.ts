// Measures how long each participant speaks while the recording runs.

type Turn = { readonly fromMs: number; readonly toMs: number }

/** `onTurn`: a participant has stopped to speak, or the recording is paused. It must not change the speakers. */
export function createSpeakingTime(now: () => number, onTurn: (speaker: string, turn: Turn) => void = () => undefined) {
  const ended = new Map<string, number>()
  const since = new Map<string, number>()
  let speaking: readonly string[] = []
  let isPaused = false

  function count(speakers: readonly string[], at: number): void {
    for (const [id, from] of since) {
      if (speakers.includes(id)) continue
      ended.set(id, (ended.get(id) ?? 0) + at - from)
      since.delete(id)
      onTurn(id, { fromMs: from, toMs: at })
    }
    for (const id of speakers) if (!since.has(id)) since.set(id, at)
  }

  return {
    /** The participants who speak from `at` on. */
    setSpeakers(speakers: readonly string[], at: number): void {
      speaking = speakers
      if (!isPaused) count(speakers, at)
    },
    /** Adds speech that is reported afterwards. */
    add(speaker: string, ms: number): void {
      if (!isPaused) ended.set(speaker, (ended.get(speaker) ?? 0) + Math.max(0, ms))
    },
    /** Counts nothing until `resume`. */
    pause(): void {
      isPaused = true
      count([], now())
    },
    resume(): void {
      isPaused = false
      count(speaking, now())
    },
    /** Milliseconds so far of every participant who spoke. */
    totals(): Readonly<Record<string, number>> {
      const at = now()
      const ids = new Set([...ended.keys(), ...since.keys()])
      return Object.fromEntries([...ids].map((id) => [id, (ended.get(id) ?? 0) + (at - (since.get(id) ?? at))]))
    },
  }
}
