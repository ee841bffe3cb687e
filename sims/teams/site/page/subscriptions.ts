/// <reference lib="dom" />
// Which video source is in which section: the page subscribes on `main-channel`, newest dominant speakers first.
import type { Media } from './media.ts'
import { type Roster, sentSource } from './roster.ts'

const FORMAT = [{ 'max-fs': 3_600, 'max-mbps': 108_000, 'max-fps': 3_000, 'profile-level-id': '64001f' }]

export class Subscriptions {
  readonly #roster: Roster
  readonly #media: Media
  /** Source ids by stream id. */
  readonly #shown = new Map<number, number>()
  #dominant: readonly number[] = []
  #isOn = true
  #sequence = 0

  constructor(roster: Roster, media: Media) {
    this.#roster = roster
    this.#media = media
  }

  setDominant(history: readonly number[]): void {
    this.#dominant = history
    this.update()
  }

  turn(on: boolean): void {
    this.#isOn = on
    this.update()
  }

  /** A new connection has no subscriptions. */
  forget(): void {
    this.#shown.clear()
  }

  update(): void {
    if (!this.#media.isOpen) return
    this.#assign(this.#media.streamIds('main-video'), this.#isOn ? this.#cameras() : [])
    this.#assign(this.#media.streamIds('applicationsharing-video'), this.#isOn ? this.#screens() : [])
  }

  streamIdOf(sourceId: number | null): number | undefined {
    return [...this.#shown].find(([, shown]) => shown === sourceId)?.[0]
  }

  /** Sources that stay keep their section. */
  #assign(streamIds: readonly number[], wanted: readonly number[]): void {
    const kept = wanted.slice(0, streamIds.length)
    for (const streamId of streamIds) if (!kept.includes(this.#shown.get(streamId) ?? -1)) this.#request(streamId, -1)
    const missing = kept.filter((source) => ![...this.#shown.values()].includes(source))
    const free = streamIds.filter((streamId) => !this.#shown.has(streamId))
    for (const [index, source] of missing.entries()) {
      const streamId = free[index]
      if (streamId !== undefined) this.#request(streamId, source)
    }
  }

  #request(streamId: number, sourceId: number): void {
    if (sourceId < 0 && !this.#shown.delete(streamId)) return
    if (sourceId >= 0) this.#shown.set(streamId, sourceId)
    const controlInfo = { sourceId, streamMsid: streamId, fmtParams: FORMAT }
    this.#media.send([{ type: 'sr', controlVideoStreaming: { sequenceNumber: ++this.#sequence, controlInfo } }])
  }

  #cameras(): readonly number[] {
    const people = this.#roster.others().map((it) => {
      const audio = it.endpoints.flatMap(({ mediaStreams }) => mediaStreams).find(({ type }) => type === 'audio')?.sourceId ?? -1
      const rank = this.#dominant.indexOf(audio)
      return { source: sentSource(it, 'video'), rank: rank < 0 ? Number.POSITIVE_INFINITY : rank }
    })
    return people.toSorted((a, b) => (a.rank === b.rank ? 0 : a.rank - b.rank)).flatMap(({ source }) => source ?? [])
  }

  #screens(): readonly number[] {
    return this.#roster.others().flatMap((it) => sentSource(it, 'applicationsharing-video') ?? [])
  }
}
