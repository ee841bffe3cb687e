/// <reference lib="dom" />
// The meeting's state from its channels: participants, stream owners, chat and captions.
import { type Fields, fieldsOf, inflate, integer, messages, text, within } from './protobuf.ts'

export type User = {
  readonly deviceId: string
  readonly name: string
  readonly picture: string | null
  readonly isIn: boolean
  readonly isSelf: boolean
  readonly isHost: boolean
  /** The owner of a presentation. */
  readonly parentDeviceId: string | null
}

export type OutputKind = 'audio' | 'video'
export type Output = { readonly deviceId: string; readonly streamId: string | null; readonly disabled: boolean }
export type Line = { readonly id: string; readonly deviceId: string; readonly text: string; readonly atMs: number }
export type Caption = { readonly id: string; readonly deviceId: string; readonly version: number; readonly text: string }

const IN_MEETING = 1
const OUTPUT_KINDS: Readonly<Record<number, OutputKind>> = { 1: 'audio', 2: 'video' }
const CAPTIONS_SHOWN = 3

export class Roster {
  readonly #users = new Map<string, User>()
  readonly #outputs = { audio: new Map<string, Output>(), video: new Map<string, Output>() }
  /** Sources of people without a device output. */
  readonly #assigned = new Map<string, number>()
  readonly #rooms = new Map<string, string>()
  readonly lines: Line[] = []
  #captions: readonly Caption[] = []
  readonly #onChange: () => void
  /** Inflating is asynchronous, so messages are queued in order. */
  #queue: Promise<void> = Promise.resolve()

  constructor(self: { readonly deviceId: string; readonly name: string }, onChange: () => void) {
    this.#users.set(self.deviceId, { ...self, picture: null, isIn: true, isSelf: true, isHost: false, parentDeviceId: null })
    this.#onChange = onChange
  }

  /** Everybody present, the page's own user first, without presentations. */
  people = (): User[] => this.#present().filter((it) => it.parentDeviceId === null)
  presentations = (): User[] => this.#present().filter((it) => it.parentDeviceId !== null)
  nameOf = (deviceId: string): string => this.#users.get(deviceId)?.name ?? ''
  output = (kind: OutputKind, deviceId: string): Output | null => this.#outputs[kind].get(deviceId) ?? null
  captions = (): readonly Caption[] => this.#captions

  /** The CSRC of a user's microphone, in digits. */
  sourceOf(deviceId: string): string | null {
    return this.#assigned.get(deviceId)?.toString() ?? this.#outputs.audio.get(deviceId)?.streamId ?? null
  }

  /** The room whose devices are merged, in which the user sits. */
  roomOf = (deviceId: string): string | null => this.#rooms.get(deviceId) ?? null

  /** The user with this CSRC. */
  speakerOf(source: number): string | null {
    return [...this.#users.keys()].find((it) => this.sourceOf(it) === String(source)) ?? null
  }

  onCollections(bytes: Uint8Array<ArrayBuffer>): void {
    this.#queue = this.#queue.then(async () => {
      const body = within(fieldsOf(await inflate(bytes)), 1, 2)
      for (const output of outputsIn(body)) this.#putOutput(output)
      for (const user of messages(within(body, 13, 1), 2)) this.#putUser(user)
      for (const chat of messages(within(body, 13), 4)) this.#putLine(within(chat, 2))
      this.#onChange()
    })
  }

  /** The whole list: users that are missing have left. */
  onSync(bytes: Uint8Array): void {
    const list = messages(within(fieldsOf(bytes), 2, 2), 2)
    const ids = new Set(list.map((it) => text(it, 1)))
    for (const user of list) this.#putUser(user)
    for (const { deviceId, isSelf } of [...this.#users.values()]) if (!isSelf && !ids.has(deviceId)) this.#users.delete(deviceId)
    this.#onChange()
  }

  onAssignment(bytes: Uint8Array): void {
    const fields = fieldsOf(bytes)
    const deviceId = text(fields, 1) ?? ''
    this.#assigned.set(deviceId, integer(fields, 2) ?? 0)
    const room = text(fields, 3)
    if (room !== null) this.#rooms.set(deviceId, room)
    this.#onChange()
  }

  onCaption(bytes: Uint8Array): void {
    const fields = within(fieldsOf(bytes), 1)
    const caption = {
      id: `${text(fields, 1)}/${integer(fields, 2)}`,
      deviceId: text(fields, 1) ?? '',
      version: integer(fields, 3) ?? 0,
      text: text(fields, 6) ?? '',
    }
    const before = this.#captions.find((it) => it.id === caption.id)
    if (before && before.version > caption.version) return
    this.#captions = [...this.#captions.filter((it) => it.id !== caption.id), caption].slice(-CAPTIONS_SHOWN)
    this.#onChange()
  }

  #present(): User[] {
    return [...this.#users.values()].filter((it) => it.isIn)
  }

  #putUser(fields: Fields): void {
    const deviceId = text(fields, 1)
    if (!deviceId) return
    const before = this.#users.get(deviceId)
    this.#users.set(deviceId, {
      deviceId,
      name: text(fields, 29) ?? text(fields, 2) ?? before?.name ?? '',
      picture: text(fields, 3),
      isIn: integer(fields, 4) === IN_MEETING,
      isSelf: before?.isSelf ?? text(fields, 7) !== null,
      isHost: (integer(fields, 34) ?? 0) > 0,
      parentDeviceId: text(fields, 21),
    })
  }

  #putOutput(fields: Fields): void {
    const kind = OUTPUT_KINDS[integer(fields, 2) ?? 0]
    const deviceId = text(fields, 6)
    if (!kind || !deviceId) return
    const disabled = (integer(within(fields, 10), 1) ?? 0) > 0
    this.#outputs[kind].set(deviceId, { deviceId, streamId: text(fields, 4), disabled })
  }

  #putLine(fields: Fields): void {
    const id = text(fields, 1)
    if (!id || this.lines.some((it) => it.id === id)) return
    this.lines.push({ id, deviceId: text(fields, 2) ?? '', text: text(within(fields, 5), 1) ?? '', atMs: Date.now() })
  }
}

/** At 3.2, one level deeper, at 3.5, or at 5.2. */
function outputsIn(body: Fields): Fields[] {
  const outer = [...messages(within(body, 3), 2), ...messages(within(body, 3), 5), ...messages(within(body, 5), 2)]
  return outer.flatMap((it) => (text(it, 6) === null ? messages(it, 2) : [it]))
}
