// Writes as much of the protocol buffer wire format as Meet's messages need.

type Value = number | string | Uint8Array | undefined
/** Field number and value: a number as varint, text and messages with their length. Undefined values are omitted. */
export type Field = readonly [number, Value]

const VARINT = 0
const LENGTH_DELIMITED = 2

export function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(fields.map(([number, value]) => (value === undefined ? Buffer.alloc(0) : field(number, value))))
}

function field(number: number, value: number | string | Uint8Array): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number * 8 + VARINT), varint(value)])
  const bytes = Buffer.from(value)
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(bytes.length), bytes])
}

/** By division, because shifts would lose bits above 32. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}
