// Fields of Zoom's messages: any of them may be missing, and ids come as numbers or as text.

/** The low bits of an id number the streams of a participant. They are zero in the participant's own id. */
const ID_STEP = 1_024

export const personOf = (raw: string): string => String(Math.floor(Number(raw) / ID_STEP) * ID_STEP)
export const isScreen = (raw: string): boolean => Number(raw) % ID_STEP !== 0

/** The id of the participant who has this stream; null for any other value. */
export function idOf(value: unknown): string | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= ID_STEP ? personOf(String(number)) : null
}

export function at(value: unknown, name: string): unknown {
  return Object.hasOwn(Object(value), name) ? Reflect.get(Object(value), name) : undefined
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export function textAt(value: unknown, name: string): string {
  const found = at(value, name)
  return typeof found === 'string' ? found : ''
}

/** Null: not JSON. */
export function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return null
  }
}
