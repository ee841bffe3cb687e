// How long each person has spoken, from who is speaking when.

export type SpeakingClock = {
  /** These speak from now on. */
  hear(speakers: readonly string[], at: number): void
  /** Milliseconds so far, of everybody who ever spoke. */
  totals(at: number): Readonly<Record<string, number>>
}

export function createSpeakingClock(): SpeakingClock {
  const ended = new Map<string, number>()
  const since = new Map<string, number>()
  return {
    hear(speakers, at) {
      for (const [id, from] of since) {
        if (speakers.includes(id)) continue
        ended.set(id, (ended.get(id) ?? 0) + at - from)
        since.delete(id)
      }
      for (const id of speakers) if (!since.has(id)) since.set(id, at)
    },
    totals(at) {
      const ids = new Set([...ended.keys(), ...since.keys()])
      return Object.fromEntries([...ids].map((id) => [id, (ended.get(id) ?? 0) + (at - (since.get(id) ?? at))]))
    },
  }
}
