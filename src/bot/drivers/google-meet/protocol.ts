// Google Meet's messages to its own page, decoded: users, streams, chat and captions.
import { gunzipSync, inflateSync } from 'node:zlib'
import { Message } from '../../../kit/protobuf.ts'
import type { ChatLine, ClientMessage, DoorSign, SpeakingUpdate, StreamUpdate, UserUpdate } from '../browser-meeting/messages.ts'
import { unpacked } from '../browser-meeting/read-report.ts'

export const READERS: Readonly<Record<string, (bytes: Uint8Array) => ClientMessage | null>> = {
  collections: readCollections,
  sync: readSync,
  captions: readCaption,
  dcrpc: readSpeaking,
}

/** Decodes reports about the request to join. */
export const DOOR_READERS: Readonly<Record<string, (bytes: Uint8Array) => DoorSign | null>> = { device: readDevice }

/** A field of the answer to the request to join; absent where nothing is suspected. */
const SUSPICION_FIELD = 36

function readDevice(bytes: Uint8Array): DoorSign | null {
  const answer = new Message(bytes)
  if (!answer.has(SUSPICION_FIELD) || answer.number(SUSPICION_FIELD) === 0) return null
  return {
    sign: 'suspected',
    detail: `the answer to the request to join has field ${SUSPICION_FIELD}: the join is suspected`,
  }
}

function readCollections(packed: Uint8Array): ClientMessage | null {
  const bytes = unpacked(inflateSync, packed)
  const wrapper = bytes && new Message(bytes).message(1)?.message(2)
  if (!wrapper) return null
  const people = wrapper.message(13)
  return {
    kind: 'changes',
    users: usersIn(people?.message(1)),
    streams: streamsIn(wrapper),
    chat: (people?.messages(4) ?? []).map((it) => chatOf(it.message(2))).filter((it) => it !== null),
  }
}

function readSync(bytes: Uint8Array): ClientMessage | null {
  const users = usersIn(new Message(bytes).message(2)?.message(2))
  // The list always contains the bot: an empty one was not understood.
  return users.length > 0 ? { kind: 'everybody', users } : null
}

function readCaption(bytes: Uint8Array): ClientMessage | null {
  const caption = new Message(bytes).message(1)
  const userId = caption?.text(1)
  if (!caption || !userId) return null
  const id = `${userId}/${caption.number(2) ?? 0}`
  const text = caption.text(6) ?? ''
  return { kind: 'caption', caption: { id, userId, version: caption.number(3) ?? 0, final: caption.number(4) === 1, text } }
}

const USERS_FIELD = 13

/** Device outputs were seen at 3.2, one level deeper, at 3.5 and at 5.2, so they are found by their shape. */
function streamsIn(wrapper: Message): readonly StreamUpdate[] {
  const parts = wrapper.numbers().filter((field) => field !== USERS_FIELD)
  return parts.flatMap((field) => wrapper.messages(field).flatMap((it) => outputsIn(it, DEEPEST_OUTPUT)))
}

const DEEPEST_OUTPUT = 4

/** Any bytes may parse as a message, so only the shape of an output counts. */
function outputsIn(part: Message, depth: number): readonly StreamUpdate[] {
  const stream = streamOf(part)
  if (stream) return [stream]
  return depth === 0 ? [] : part.numbers().flatMap((field) => part.messages(field).flatMap((it) => outputsIn(it, depth - 1)))
}

/** A keep-alive has only field 1. Records are in field 4, below a few wrappers of field 2. */
function readSpeaking(bytes: Uint8Array): ClientMessage | null {
  const packed = new Message(bytes).bytes(2)
  const inner = packed && unpacked(gunzipSync, packed)
  const users = inner ? recordsIn(new Message(inner), MOST_WRAPPERS).flatMap((it) => speakingOf(it) ?? []) : []
  return users.length > 0 ? { kind: 'speaking', users } : null
}

const MOST_WRAPPERS = 4

function recordsIn(wrapper: Message, depth: number): readonly Message[] {
  const inner = depth > 0 ? wrapper.messages(2).flatMap((it) => recordsIn(it, depth - 1)) : []
  return [...wrapper.messages(4), ...inner]
}

/** Most records name the speaker by stream only. */
function speakingOf(record: Message): SpeakingUpdate | null {
  const userId = record.text(4) || null
  const stream = record.number(8)
  if (!record.has(9) || (userId === null && stream === null)) return null
  const speaks = (record.message(9)?.number(2) ?? 0) !== 0
  return { userId, ...(stream !== null && { streamId: String(stream) }), speaks }
}

/** A user is a device: a participant, or a shared screen. */
function usersIn(list: Message | null | undefined): readonly UserUpdate[] {
  return (list?.messages(2) ?? []).flatMap((user) => {
    const id = user.text(1)
    if (!id) return []
    const host = user.number(34)
    return {
      id,
      name: user.text(29) || user.text(2) || null,
      presence: presenceOf(user.number(4)),
      isSelf: user.has(7),
      parentId: user.text(21) || null,
      isHost: host === null ? null : host !== 0,
    }
  })
}

const GONE: Readonly<Record<number, UserUpdate['presence']>> = { 6: 'left', 7: 'removed' }

function presenceOf(status: number | null): UserUpdate['presence'] {
  return status === null ? null : (GONE[status] ?? 'here')
}

/** `spaces/<space>/devices/<number>`, or an opaque word. */
const DEVICE = /^[\w./-]+$/

const KINDS: Readonly<Record<number, StreamUpdate['kind']>> = { 1: 'audio', 2: 'video' }

function streamOf(output: Message): StreamUpdate | null {
  const kind = KINDS[output.number(2) ?? 0]
  const userId = output.text(6)
  if (!kind || !userId || !DEVICE.test(userId)) return null
  return { userId, kind, streamId: output.text(4) || null, disabled: (output.message(10)?.number(1) ?? 0) !== 0 }
}

function chatOf(line: Message | null): ChatLine | null {
  const userId = line?.text(2)
  const text = line?.message(5)?.text(1)
  return line && userId && text ? { id: line.text(1) ?? '', userId, text } : null
}
