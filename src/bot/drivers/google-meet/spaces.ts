// The spaces of one meeting. A breakout room is taken to be a space of its own: with the bot's entry there, the people of the other one are gone.
import { type ClientMessage, changes, type Readers, type UserUpdate } from '../browser-meeting/messages.ts'
import { READERS } from './protocol.ts'

const SPACE = /^spaces\/[^/]+/

/** The kind of reports that answer a request. An answer may be late, from the space that the bot has left. */
const ANSWER = 'sync'

export function createReaders(): Readers {
  const spaces = new Spaces()
  return Object.fromEntries(
    Object.entries(READERS).map(([kind, read]) => [
      kind,
      (bytes: Uint8Array) => {
        const message = read(bytes)
        return message && spaces.follow(message, kind === ANSWER)
      },
    ]),
  )
}

class Spaces {
  #current: string | null = null
  /** The first space of the bot. */
  #meeting: string | null = null
  /** A channel, which belongs to one space, has named the bot's entry. */
  #isSure = false
  readonly #others = new Set<string>()

  follow(message: ClientMessage, isAnswer: boolean): ClientMessage | readonly ClientMessage[] | null {
    if (message.kind !== 'changes' && message.kind !== 'everybody') return message
    const space = message.users.map(({ id, isSelf }) => (isSelf ? spaceOf(id) : null)).find((it) => it !== null) ?? null
    const isOther = space !== null && this.#current !== null && space !== this.#current
    if (isOther && isAnswer && this.#isSure) return null
    if (space !== null && !isAnswer) this.#isSure = true
    this.#current = space ?? this.#current
    this.#meeting ??= space
    const moved = isOther ? this.#moveTo(space) : []
    this.#remember(message.users)
    return moved.length > 0 ? [...moved, message] : message
  }

  /** No message has the name of a room. */
  #moveTo(space: string): readonly ClientMessage[] {
    return [{ kind: 'room', name: space === this.#meeting ? null : '' }, changes({ users: this.#takeOthersOutside(space) })]
  }

  #takeOthersOutside(space: string): readonly UserUpdate[] {
    const outside = [...this.#others].filter((id) => spaceOf(id) !== space)
    for (const id of outside) this.#others.delete(id)
    return outside.map((id) => ({ id, name: null, presence: 'left', isSelf: false, parentId: null, isHost: null }))
  }

  #remember(users: readonly UserUpdate[]): void {
    for (const { id, presence, isSelf } of users) {
      if (isSelf || presence === 'left' || presence === 'removed') this.#others.delete(id)
      else this.#others.add(id)
    }
  }
}

/** Null for an id that does not name its space. */
function spaceOf(deviceId: string): string | null {
  return SPACE.exec(deviceId)?.[0] ?? null
}
