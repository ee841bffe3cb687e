// Reads protobuf without knowing its types. Total: whatever the bytes are it answers; a message that breaks off holds nothing at all.

type Field = { readonly number: number; readonly value: number | Uint8Array }

/** Of one message. What nobody asks for is passed over. */
export class Message {
  readonly #fields: readonly Field[]

  constructor(bytes: Uint8Array) {
    this.#fields = readFields(bytes)
  }

  /** The last one counts, as protobuf says. */
  number(field: number): number | null {
    const value = this.#last(field)
    return typeof value === 'number' ? value : null
  }

  text(field: number): string | null {
    const value = this.#last(field)
    return value instanceof Uint8Array ? decoder.decode(value) : null
  }

  message(field: number): Message | null {
    return this.messages(field).at(-1) ?? null
  }

  messages(field: number): readonly Message[] {
    return this.#fields.flatMap(({ number, value }) => (number === field && value instanceof Uint8Array ? [new Message(value)] : []))
  }

  has(field: number): boolean {
    return this.#fields.some(({ number }) => number === field)
  }

  #last(field: number): number | Uint8Array | undefined {
    return this.#fields.findLast(({ number }) => number === field)?.value
  }
}

const decoder = new TextDecoder()
const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5
const LONGEST_VARINT = 10

function readFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = readVarint(bytes, at)
    const content = tag && readContent(bytes, tag.next, tag.value % 8)
    if (!tag || !content) return []
    if (content.value !== null) fields.push({ number: Math.floor(tag.value / 8), value: content.value })
    at = content.next
  }
  return fields
}

type Read<Value> = { readonly value: Value; readonly next: number }

/** Null where the bytes break off, or say what protobuf does not. A value of null is one that is passed over. */
function readContent(bytes: Uint8Array, at: number, wireType: number): Read<number | Uint8Array | null> | null {
  if (wireType === VARINT) return readVarint(bytes, at)
  if (wireType === FIXED_64) return skip(bytes, at + 8)
  if (wireType === FIXED_32) return skip(bytes, at + 4)
  if (wireType !== BYTES) return null
  const length = readVarint(bytes, at)
  if (!length || length.next + length.value > bytes.length) return null
  const next = length.next + length.value
  return { value: bytes.subarray(length.next, next), next }
}

function skip(bytes: Uint8Array, next: number): Read<null> | null {
  return next <= bytes.length ? { value: null, next } : null
}

/** Numbers beyond 2^53 lose their last digits; Meet has none. */
function readVarint(bytes: Uint8Array, at: number): Read<number> | null {
  let value = 0
  for (let index = 0; index < LONGEST_VARINT; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return null
    value += (byte % 128) * 2 ** (7 * index)
    if (byte < 128) return { value, next: at + index + 1 }
  }
  return null
}
