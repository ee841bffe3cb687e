// Which video is in which slot, and which of its frames comes next.
import { randomBytes } from 'node:crypto'
import type { Picture } from '../../webrtc/encode.ts'

type Showing = { picture: Picture; slot: number | null; wantedAt: number; frame: number }

/** `changed` is called whenever a person enters or leaves a slot. */
export class Slots {
  readonly streamIds: readonly string[]
  readonly #changed: (deviceId: string) => void
  readonly #shown = new Map<string, Showing>()
  #turn = 0

  constructor(streamIds: readonly string[], changed: (deviceId: string) => void) {
    this.streamIds = streamIds
    this.#changed = changed
  }

  /** A new video of a person who is shown already starts with a key frame in the same slot. */
  show(deviceId: string, picture: Picture): void {
    const known = this.#shown.get(deviceId)
    this.#shown.set(deviceId, { picture, slot: known?.slot ?? null, wantedAt: known?.wantedAt ?? 0, frame: 0 })
    if (known) return
    this.#place(deviceId, this.#freeSlot())
    this.#changed(deviceId)
  }

  hide(deviceId: string): void {
    const freed = this.#shown.get(deviceId)?.slot ?? null
    if (!this.#shown.delete(deviceId)) return
    this.#changed(deviceId)
    const [next] = [...this.#shown].find(([, { slot }]) => slot === null) ?? []
    if (freed === null || next === undefined) return
    this.#place(next, freed)
    this.#changed(next)
  }

  /** Shows a person instead of the one whose turn is longest ago. */
  want(deviceId: string): void {
    const showing = this.#shown.get(deviceId)
    if (!showing) return
    showing.wantedAt = ++this.#turn
    if (showing.slot !== null) return
    const [least] = [...this.#shown].filter(([, { slot }]) => slot !== null).toSorted(([, a], [, b]) => a.wantedAt - b.wantedAt)
    if (!least) return
    this.#place(deviceId, least[1].slot)
    this.#place(least[0], null)
    this.#changed(least[0])
    this.#changed(deviceId)
  }

  streamIdOf(deviceId: string): string | undefined {
    const slot = this.#shown.get(deviceId)?.slot ?? null
    return slot === null ? undefined : this.streamIds[slot]
  }

  pictureOf(deviceId: string): Picture | undefined {
    return this.#shown.get(deviceId)?.picture
  }

  /** The next frame in this slot is a key frame. */
  refresh(slot: number): void {
    for (const showing of this.#shown.values()) if (showing.slot === slot) showing.frame = 0
  }

  /** The next frame of each slot in use. */
  next(): readonly { readonly slot: number; readonly frame: Buffer }[] {
    return [...this.#shown.values()].flatMap((showing) => {
      const frame = showing.picture.frames[showing.frame]
      if (showing.slot === null || !frame) return []
      showing.frame = (showing.frame + 1) % showing.picture.frames.length
      return [{ slot: showing.slot, frame }]
    })
  }

  #freeSlot(): number | null {
    const taken = [...this.#shown.values()].map(({ slot }) => slot)
    return [...this.streamIds.keys()].find((slot) => !taken.includes(slot)) ?? null
  }

  #place(deviceId: string, slot: number | null): void {
    const showing = this.#shown.get(deviceId)
    if (showing) Object.assign(showing, { slot, frame: 0 })
  }
}

export function newStreamIds(count: number): readonly string[] {
  return Array.from({ length: count }, () => randomBytes(8).toString('hex'))
}
