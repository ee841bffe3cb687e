// How long each participant has spoken while the recording ran.

export type SpeakingClock = {
  /** These speak from now on. */
  hear(speakers: readonly string[], at: number): void
  /** They have spoken for so long, as is known only afterwards. */
  add(speaker: string, ms: number): void
  /** Nothing counts until `resume`. */
  pause(): void
  resume(): void
  /** Milliseconds so far, of everybody who ever spoke. */
  totals(): Readonly<Record<string, number>>
}

export function createSpeakingClock(now: () => number): SpeakingClock {
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
    hear(speakers, at) {
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
