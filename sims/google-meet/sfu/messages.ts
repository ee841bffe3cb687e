// The server's messages on its data channels and in the Sync reply, with Meet's field numbers.
import { deflateSync } from 'node:zlib'
import { type Field, message } from './protobuf.ts'
import type { Caption, ChatLine, OutputsAt } from './types.ts'

/** Present, left, removed. */
export type Status = 1 | 6 | 7

export type User = {
  readonly deviceId: string
  readonly name: string
  readonly displayName: string
  readonly picture: string | undefined
  readonly host: boolean
  readonly status: Status
  /** The owner of a presentation. */
  readonly parentDeviceId: string | undefined
}

export type Output = {
  readonly deviceId: string
  readonly name: string
  readonly kind: 'audio' | 'video'
  /** Absent while the camera is on but in no slot. */
  readonly streamId: string | undefined
  readonly disabled: boolean
}

export type News =
  | { readonly about: 'user'; readonly user: User }
  | { readonly about: 'output'; readonly output: Output }
  | { readonly about: 'chat'; readonly line: ChatLine }

const OUTPUT_TYPES = { audio: 1, video: 2 } as const

type Reader = {
  /** The device of the receiving visitor. */
  readonly self: string
  readonly outputsAt: OutputsAt
  readonly outputsName: 'owners' | 'one'
}

/** One message of `collections` with all of these. */
export function collections(news: readonly News[], sequence: number, { self, outputsAt, outputsName }: Reader): Buffer {
  const outputs = news.flatMap((it) => (it.about === 'output' ? [it.output] : []))
  const at = (place: OutputsAt): Field[] =>
    outputs
      .filter(({ deviceId }) => placeOf(deviceId, outputsAt) === place)
      .map((it) => [place === 'beside' ? 5 : 2, outputMessage(it, outputsName)])
  const [deeper, elsewhere] = [at('deeper'), at('elsewhere')]
  const users = news.flatMap((it) => (it.about === 'user' ? [it.user] : []))
  const chat = news.flatMap((it): Field[] => (it.about === 'chat' ? [[4, message([2, chatMessage(it.line)])]] : []))
  const people = users.length > 0 || chat.length > 0
  const list: Field[] = users.length > 0 ? [[1, userList(users, sequence, self)]] : []
  const first: readonly Field[] = [...at('usual'), ...at('beside'), [2, deeper.length > 0 ? message(...deeper) : undefined]]
  const wrapper = message(
    [3, outputs.length > elsewhere.length ? message(...first) : undefined],
    [5, elsewhere.length > 0 ? message(...elsewhere) : undefined],
    [13, people ? message(...list, ...chat) : undefined],
  )
  return deflateSync(message([1, message([2, wrapper])]))
}

export function syncReply(users: readonly User[], sequence: number, self: string | undefined): string {
  return message([2, message([2, userList(users, sequence, self)])]).toString('base64')
}

/** The answer to a knock. `suspected`: the server considers the browser suspicious. */
export function deviceReply(deviceId: string, suspected: boolean): string {
  return message([1, deviceId], [36, suspected ? message([1, 1]) : undefined]).toString('base64')
}

/** Sends the simulated page the source of a person without a device output, and the room of one whose devices are merged. The format of the real messages is unknown, and only our page reads these. */
export function assignment(deviceId: string, source: number, room?: string): Buffer {
  return message([1, deviceId], [2, source], [3, room])
}

export function captionMessage(deviceId: string, caption: Required<Caption>): Buffer {
  const { captionId, version, final, text, languageId } = caption
  return message([1, message([1, deviceId], [2, captionId], [3, version], [4, final ? 1 : 0], [6, text], [8, languageId])])
}

function userList(users: readonly User[], sequence: number, self: string | undefined): Buffer {
  return message([1, message([1, sequence])], ...users.map((user): Field => [2, userMessage(user, user.deviceId === self)]))
}

function userMessage(user: User, isSelf: boolean): Buffer {
  return message(
    [1, user.deviceId],
    [2, user.name],
    [3, user.picture],
    [4, user.status],
    [7, isSelf ? user.deviceId : undefined],
    [21, user.parentDeviceId],
    [29, user.displayName],
    [34, user.host ? 1 : undefined],
  )
}

const PLACES = ['usual', 'deeper', 'beside', 'elsewhere'] as const

function placeOf(deviceId: string, at: OutputsAt): (typeof PLACES)[number] {
  const index = Number(/\d+$/.exec(deviceId)?.[0]) % PLACES.length
  return at === 'anywhere' ? (PLACES[index] ?? 'usual') : at
}

function outputMessage({ kind, streamId, deviceId, disabled }: Output, names: Reader['outputsName']): Buffer {
  const named = kind === 'audio' && names === 'one' ? deviceId.replace(/\d+$/, '1') : deviceId
  return message([2, OUTPUT_TYPES[kind]], [4, streamId], [6, named], [10, message([1, disabled ? 1 : undefined])])
}

function chatMessage({ id, deviceId, atMs, text }: ChatLine): Buffer {
  return message([1, id], [2, deviceId], [3, atMs], [5, message([1, text])])
}
