/// <reference lib="dom" />
// Reads as much of the protocol buffer wire format as Meet's messages use: numbers and byte strings, by field.

export type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>

export function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, (number | Uint8Array)[]>()
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) break
    }
    return value
  }
  const take = (length: number): Uint8Array => {
    at += length
    return bytes.subarray(at - length, at)
  }
  const READERS: Readonly<Record<number, () => number | Uint8Array>> = {
    0: varint,
    1: () => take(8),
    2: () => take(varint()),
    5: () => take(4),
  }
  while (at < bytes.length) {
    const tag = varint()
    const read = READERS[tag % 8]
    if (!read) throw new Error(`wire type ${tag % 8} is not supported`)
    const field = Math.floor(tag / 8)
    fields.set(field, [...(fields.get(field) ?? []), read()])
  }
  return fields
}

const NOTHING: Fields = new Map()

/** The value at a path of fields, each the first of its number. */
export function within(fields: Fields, ...path: readonly number[]): Fields {
  return path.reduce((inner, field) => messages(inner, field)[0] ?? NOTHING, fields)
}

export function messages(fields: Fields, field: number): Fields[] {
  return (fields.get(field) ?? []).filter((value) => value instanceof Uint8Array).map(fieldsOf)
}

export function text(fields: Fields, field: number): string | null {
  const value = fields.get(field)?.at(-1)
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : null
}

export function integer(fields: Fields, field: number): number | null {
  const value = fields.get(field)?.at(-1)
  return typeof value === 'number' ? value : null
}

export async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
