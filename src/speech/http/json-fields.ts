// Strict readers for the JSON of a vendor's answer. An error names the field that is missing or has the wrong type.

export type Fields = Readonly<Record<string, unknown>>

export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

type Read<Value> = (value: unknown, place: string) => Value

export const asFields: Read<Fields> = (value, place) => {
  if (!isFields(value)) throw wrong(place, 'an object', value)
  return value
}

export const asList: Read<readonly unknown[]> = (value, place) => {
  if (!Array.isArray(value)) throw wrong(place, 'a list', value)
  return value
}

export const asText: Read<string> = (value, place) => {
  if (typeof value !== 'string') throw wrong(place, 'a string', value)
  return value
}

export const asNumber: Read<number> = (value, place) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(place, 'a number', value)
  return value
}

/** Null: the field is missing or null. */
export function orNull<Value>(read: Read<Value>): Read<Value | null> {
  return (value, place) => (value === undefined || value === null ? null : read(value, place))
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Unreadable(`The answer is not JSON: ${JSON.stringify(text.slice(0, 60))}.`, { cause: error })
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(place: string, wanted: string, value: unknown): Unreadable {
  const found = value === undefined ? 'nothing' : value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
  return new Unreadable(`${place} must be ${wanted}, got ${found}.`)
}
