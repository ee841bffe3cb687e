// The active speakers by packet loudness. The list changes when a participant starts to speak or has been silent for a while.

/** Louder than this many dB below full scale is speech. */
export const SPEECH_LEVEL = 55
const HANG_MS = 600

export class ActiveSpeakers {
  readonly #spokeAtMs = new Map<number, number>()
  readonly #onChange: (speakers: readonly number[]) => void
  #current = ''

  constructor(onChange: (speakers: readonly number[]) => void) {
    this.#onChange = onChange
  }

  onPacket(userId: number, level: number, nowMs: number): void {
    if (level < SPEECH_LEVEL) this.#spokeAtMs.set(userId, nowMs)
  }

  /** The latest speaker comes first. */
  update(nowMs: number): void {
    for (const [userId, atMs] of this.#spokeAtMs) if (nowMs - atMs > HANG_MS) this.#spokeAtMs.delete(userId)
    const speakers = [...this.#spokeAtMs.keys()].toReversed()
    const key = speakers.join()
    if (key === this.#current) return
    this.#current = key
    this.#onChange(speakers)
  }
}
