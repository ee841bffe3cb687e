// Assigns lanes to the loudest current speakers. A speaker keeps its lane while no other one needs it.

/** Louder audio is speech. */
export const SPEECH_LEVEL = 55
/** A shorter pause does not end a sentence. */
const BREATH_MS = 600
/** A speaker keeps a new lane for this long, even if another one is louder. */
const LEAST_STAY_MS = 300
const CLEARLY_LOUDER = 1.5
const SMOOTHING = 0.1

type Speaker = { loudness: number; spokeAtMs: number; seatedAtMs: number }

export class Lanes {
  readonly #switchEveryMs: number | undefined
  readonly #speakers = new Map<string, Speaker>()
  #seats: (string | null)[]
  #sinceMs: number | null = null
  #period = 0

  constructor(count: number, switchEveryMs: number | undefined) {
    this.#seats = Array.from({ length: count }, () => null)
    this.#switchEveryMs = switchEveryMs
  }

  /** The device in each lane at these levels. */
  seat(levels: ReadonlyMap<string, number>, nowMs: number): readonly (string | null)[] {
    for (const [deviceId, level] of levels) this.#listen(deviceId, level, nowMs)
    this.#switch(nowMs)
    const standing = [...levels.keys()].filter((it) => this.#speaks(it, nowMs) && !this.#seats.includes(it))
    for (const deviceId of standing.toSorted((a, b) => this.#loudness(b) - this.#loudness(a))) this.#sitDown(deviceId, nowMs)
    return this.#seats
  }

  forget(deviceId: string): void {
    this.#speakers.delete(deviceId)
    this.#seats = this.#seats.map((it) => (it === deviceId ? null : it))
  }

  #listen(deviceId: string, level: number, nowMs: number): void {
    const speaker = this.#speakers.get(deviceId) ?? { loudness: 0, spokeAtMs: Number.NEGATIVE_INFINITY, seatedAtMs: 0 }
    speaker.loudness += SMOOTHING * (10 ** (-level / 20) - speaker.loudness)
    if (level < SPEECH_LEVEL) speaker.spokeAtMs = nowMs
    this.#speakers.set(deviceId, speaker)
  }

  #switch(nowMs: number): void {
    if (this.#switchEveryMs === undefined) return
    this.#sinceMs ??= nowMs
    const period = Math.floor((nowMs - this.#sinceMs) / this.#switchEveryMs)
    if (period === this.#period) return
    this.#period = period
    this.#seats = [...this.#seats.slice(-1), ...this.#seats.slice(0, -1)]
  }

  #sitDown(deviceId: string, nowMs: number): void {
    const lane = this.#freeLane(deviceId, nowMs)
    if (lane === undefined) return
    this.#seats[lane] = deviceId
    const speaker = this.#speakers.get(deviceId)
    if (speaker) speaker.seatedAtMs = nowMs
  }

  /** An empty lane, else that of a silent speaker, else that of a much quieter one. */
  #freeLane(deviceId: string, nowMs: number): number | undefined {
    const lanes = this.#seats.map((sitter, lane) => ({ sitter, lane }))
    const empty = lanes.find(({ sitter }) => sitter === null)
    if (empty) return empty.lane
    const taken = lanes.flatMap(({ sitter, lane }) => (sitter === null ? [] : [{ sitter, lane }]))
    const silent = taken.filter(({ sitter }) => !this.#speaks(sitter, nowMs))
    const [longest] = silent.toSorted((a, b) => this.#spokeAt(a.sitter) - this.#spokeAt(b.sitter))
    if (longest) return longest.lane
    const [quietest] = taken.toSorted((a, b) => this.#loudness(a.sitter) - this.#loudness(b.sitter))
    if (!quietest || nowMs - (this.#speakers.get(quietest.sitter)?.seatedAtMs ?? 0) < LEAST_STAY_MS) return undefined
    return this.#loudness(deviceId) > CLEARLY_LOUDER * this.#loudness(quietest.sitter) ? quietest.lane : undefined
  }

  #speaks(deviceId: string, nowMs: number): boolean {
    return nowMs - this.#spokeAt(deviceId) < BREATH_MS
  }

  #spokeAt(deviceId: string): number {
    return this.#speakers.get(deviceId)?.spokeAtMs ?? Number.NEGATIVE_INFINITY
  }

  #loudness(deviceId: string): number {
    return this.#speakers.get(deviceId)?.loudness ?? 0
  }
}
