// What Google Meet tells its own page, decoded: who is there, whose streams are whose, what is written and what is said.
import { inflateSync } from 'node:zlib'
import { Message } from './protobuf.ts'

/** One change or one whole list of what the meeting knows. Absent fields are not told, which does not mean that they are empty. */
export type MeetUser = {
  readonly deviceId: string
  readonly name: string | null
  readonly status: number | null
  /** The bot itself. */
  readonly isSelf: boolean
  /** Whose screen this is; null where it is a person. */
  readonly parentId: string | null
  readonly isHost: boolean | null
}

export type DeviceOutput = {
  readonly deviceId: string
  readonly kind: 'audio' | 'video'
  /** Null while it is sent to nobody: a camera for which the layout has no place. */
  readonly streamId: string | null
  readonly disabled: boolean
}

export type ChatLine = { readonly id: string; readonly deviceId: string; readonly text: string }

export type CaptionLine = {
  readonly id: string
  readonly deviceId: string
  readonly version: number
  readonly final: boolean
  readonly text: string
}

export type Told =
  | {
      readonly kind: 'changes'
      readonly users: readonly MeetUser[]
      readonly outputs: readonly DeviceOutput[]
      readonly chat: readonly ChatLine[]
    }
  /** Everybody who is there. */
  | { readonly kind: 'everybody'; readonly users: readonly MeetUser[] }
  | { readonly kind: 'caption'; readonly caption: CaptionLine }
  /** The contributing sources that are speaking. */
  | { readonly kind: 'voice'; readonly sources: readonly number[] }

/** Far beyond what a meeting of five hundred sends; a bomb is not unpacked. */
const LONGEST_BYTES = 8 * 1024 * 1024

export const LEFT = 6
export const REMOVED = 7

/** What the page's ears told; null where it says nothing that can be understood. */
export function readTold(told: unknown): Told | null {
  const at = (name: string): unknown => Reflect.get(Object(told), name)
  if (at('kind') === 'voice') return { kind: 'voice', sources: numbersIn(at('sources')) }
  const read = Object.hasOwn(READERS, String(at('kind'))) ? READERS[String(at('kind'))] : undefined
  const data = at('data')
  if (!read || typeof data !== 'string' || data.length > LONGEST_BYTES) return null
  return read(Buffer.from(data, 'base64'))
}

const READERS: Readonly<Record<string, (bytes: Uint8Array) => Told | null>> = {
  collections: readCollections,
  sync: readSync,
  captions: readCaption,
}

function readCollections(packed: Uint8Array): Told | null {
  const bytes = inflated(packed)
  const wrapper = bytes && new Message(bytes).message(1)?.message(2)
  if (!wrapper) return null
  const people = wrapper.message(13)
  return {
    kind: 'changes',
    users: usersIn(people?.message(1)),
    outputs: (wrapper.message(3)?.messages(2) ?? []).map(outputOf).filter((it) => it !== null),
    chat: (people?.messages(4) ?? []).map((it) => chatOf(it.message(2))).filter((it) => it !== null),
  }
}

function readSync(bytes: Uint8Array): Told | null {
  const users = usersIn(new Message(bytes).message(2)?.message(2))
  // Whoever reads this is there himself: a list of nobody is an answer that was not understood.
  return users.length > 0 ? { kind: 'everybody', users } : null
}

function readCaption(bytes: Uint8Array): Told | null {
  const caption = new Message(bytes).message(1)
  const deviceId = caption?.text(1)
  if (!caption || !deviceId) return null
  const id = `${deviceId}/${caption.number(2) ?? 0}`
  const text = caption.text(6) ?? ''
  return { kind: 'caption', caption: { id, deviceId, version: caption.number(3) ?? 0, final: caption.number(4) === 1, text } }
}

function usersIn(list: Message | null | undefined): readonly MeetUser[] {
  return (list?.messages(2) ?? []).flatMap((user) => {
    const deviceId = user.text(1)
    if (!deviceId) return []
    const host = user.number(34)
    return {
      deviceId,
      name: user.text(29) || user.text(2) || null,
      status: user.number(4),
      isSelf: user.has(7),
      parentId: user.text(21) || null,
      isHost: host === null ? null : host !== 0,
    }
  })
}

const OUTPUTS: Readonly<Record<number, DeviceOutput['kind']>> = { 1: 'audio', 2: 'video' }

function outputOf(output: Message): DeviceOutput | null {
  const kind = OUTPUTS[output.number(2) ?? 0]
  const deviceId = output.text(6)
  if (!kind || !deviceId) return null
  return { deviceId, kind, streamId: output.text(4) || null, disabled: (output.message(10)?.number(1) ?? 0) !== 0 }
}

function chatOf(line: Message | null): ChatLine | null {
  const deviceId = line?.text(2)
  const text = line?.message(5)?.text(1)
  return line && deviceId && text ? { id: line.text(1) ?? '', deviceId, text } : null
}

function inflated(packed: Uint8Array): Uint8Array | null {
  try {
    return inflateSync(packed, { maxOutputLength: LONGEST_BYTES })
  } catch {
    return null // Not of this kind, or too big to be one.
  }
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((it) => typeof it === 'number') : []
}
