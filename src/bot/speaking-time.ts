// Measures how long each participant speaks while the recording runs.

export type SpeakingTime = {
  /** The participants who speak from `at` on. */
  setSpeakers(speakers: readonly string[], at: number): void
  /** Adds speech that is reported afterwards. */
  add(speaker: string, ms: number): void
  /** Counts nothing until `resume`. */
  pause(): void
  resume(): void
  /** Milliseconds so far of every participant who spoke. */
  totals(): Readonly<Record<string, number>>
}

export function createSpeakingTime(now: () => number): SpeakingTime {
  const ended = new Map<string, number>()
  const since = new Map<string, number>()
  let speaking: readonly string[] = []
  let isPaused = false

  function count(speakers: readonly string[], at: number): void {
    for (const [id, from] of since) {
      if (speakers.includes(id)) continue
      ended.set(id, (ended.get(id) ?? 0) + at - from)
      since.delete(id)
    }
    for (const id of speakers) if (!since.has(id)) since.set(id, at)
  }

  return {
    setSpeakers(speakers, at) {
      speaking = speakers
      if (!isPaused) count(speakers, at)
    },
    add(speaker, ms) {
      if (!isPaused) ended.set(speaker, (ended.get(speaker) ?? 0) + Math.max(0, ms))
    },
    pause() {
      isPaused = true
      count([], now())
    },
    resume() {
      isPaused = false
      count(speaking, now())
    },
    totals() {
      const at = now()
      const ids = new Set([...ended.keys(), ...since.keys()])
      return Object.fromEntries([...ids].map((id) => [id, (ended.get(id) ?? 0) + (at - (since.get(id) ?? at))]))
    },
  }
}
