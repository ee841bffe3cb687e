// The protobuf wire format, read and changed without a schema.

/**
 * One field of a message. `payload` is the content of a length-delimited field, `value` that of a varint; both are null for other
 * wire types.
 */
type Field = {
  readonly number: number
  readonly whole: Uint8Array
  readonly payload: Uint8Array | null
  readonly value: number | null
}

const VARINT = 0
const EIGHT_BYTES = 1
const LENGTH_DELIMITED = 2
const FOUR_BYTES = 5
const FIXED_BYTES: Readonly<Record<number, number>> = { [EIGHT_BYTES]: 8, [FOUR_BYTES]: 4 }

/** Throws if the bytes are no message. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  let from = 0
  while (from < message.length) {
    const key = readVarint(message, from)
    const wireType = key.value % 8
    const number = Math.floor(key.value / 8)
    const content = contentOf(message, key.next, wireType)
    if (number === 0 || content.to > message.length) throw new Error(`protobuf: no field begins at byte ${from}.`)
    const payload = wireType === LENGTH_DELIMITED ? message.subarray(content.from, content.to) : null
    const value = wireType === VARINT ? readVarint(message, content.from).value : null
    yield { number, whole: message.subarray(from, content.to), payload, value }
    from = content.to
  }
}

/** Reads untrusted bytes without throwing. A truncated message has no fields. */
export class Message {
  readonly #fields: readonly Field[]

  constructor(bytes: Uint8Array) {
    this.#fields = fieldsOrNone(bytes)
  }

  /** The last one counts, by the protobuf specification. */
  number(field: number): number | null {
    return this.#last(field)?.value ?? null
  }

  text(field: number): string | null {
    const payload = this.#last(field)?.payload
    return payload ? decoder.decode(payload) : null
  }

  bytes(field: number): Uint8Array | null {
    return this.#last(field)?.payload ?? null
  }

  /** The field numbers, each once. */
  numbers(): readonly number[] {
    return [...new Set(this.#fields.map(({ number }) => number))]
  }

  message(field: number): Message | null {
    return this.messages(field).at(-1) ?? null
  }

  messages(field: number): readonly Message[] {
    return this.#fields.flatMap(({ number, payload }) => (number === field && payload ? [new Message(payload)] : []))
  }

  has(field: number): boolean {
    return this.#fields.some(({ number }) => number === field)
  }

  #last(field: number): Field | undefined {
    return this.#fields.findLast(({ number }) => number === field)
  }
}

const decoder = new TextDecoder()

function fieldsOrNone(bytes: Uint8Array): readonly Field[] {
  try {
    return [...fieldsOf(bytes)]
  } catch {
    return []
  }
}

/** The message with replaced field contents. A null result keeps a field. */
export function withFields(message: Uint8Array, change: (payload: Uint8Array, number: number) => Uint8Array | null): Buffer {
  const parts = [...fieldsOf(message)].map(({ number, whole, payload }) => {
    const changed = payload && change(payload, number)
    return changed ? bytesField(number, changed) : whole
  })
  return Buffer.concat(parts)
}

export function bytesField(number: number, payload: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(payload.length), payload])
}

export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text))
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8 + VARINT), varint(value)])
}

function contentOf(message: Uint8Array, from: number, wireType: number): { readonly from: number; readonly to: number } {
  if (wireType === VARINT) return { from, to: readVarint(message, from).next }
  if (wireType === LENGTH_DELIMITED) {
    const length = readVarint(message, from)
    return { from: length.next, to: length.next + length.value }
  }
  return { from, to: from + (FIXED_BYTES[wireType] ?? Number.POSITIVE_INFINITY) }
}

/** Up to 64 bits. A value beyond 2^53 loses precision, and is never a length. */
function readVarint(message: Uint8Array, from: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let at = from; at < Math.min(message.length, from + 10); at++) {
    const byte = message[at] ?? 0
    value += (byte & 127) * 2 ** (7 * (at - from))
    if (byte < 128) return { value, next: at + 1 }
  }
  throw new Error(`protobuf: the number at byte ${from} is truncated.`)
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}
