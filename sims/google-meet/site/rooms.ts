// The meeting and its breakout rooms: each is a space of its own, with its own people, media and chat. A page in a room has another device id there.
import type { MeetSpace } from '../sfu/types.ts'

/** An empty room: the meeting itself. */
export type Place = { readonly room: string; readonly space: MeetSpace; readonly deviceId: string }

export class Rooms {
  readonly meeting: MeetSpace
  readonly #openSpace: () => MeetSpace
  readonly #spaces = new Map<string, MeetSpace>()
  /** Where the devices are that have left the meeting for a room. */
  readonly #places = new Map<string, Place>()

  constructor(openSpace: () => MeetSpace) {
    this.#openSpace = openSpace
    this.meeting = this.space('')
  }

  /** The space of this room, which opens now if it is new. */
  space(room: string): MeetSpace {
    const known = this.#spaces.get(room)
    if (known) return known
    const space = this.#openSpace()
    this.#spaces.set(room, space)
    return space
  }

  /** The device has the id that the meeting gave it. */
  placeOf(deviceId: string): Place {
    return this.#places.get(deviceId) ?? { room: '', space: this.meeting, deviceId }
  }

  leave(deviceId: string): void {
    const { space, deviceId: own } = this.placeOf(deviceId)
    space.visitorLeft(own)
  }

  enter(deviceId: string, room: string): Place {
    this.leave(deviceId)
    this.#places.delete(deviceId)
    const space = this.space(room)
    if (room !== '') this.#places.set(deviceId, { room, space, deviceId: space.newDeviceId() })
    return this.placeOf(deviceId)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#spaces.values()].map((space) => space.close()))
  }
}
