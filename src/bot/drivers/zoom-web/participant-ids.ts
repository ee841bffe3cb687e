// Ids of Zoom's participants, which come as numbers or as text.

/** The low bits of an id number the streams of a participant. They are zero in the participant's own id. */
const ID_STEP = 1_024

/** The id of a stream begins with its number. That of mixed audio has another form. */
export const STREAM = /^(\d{1,15})\+CS\+/

export const personOf = (raw: string): string => String(Math.floor(Number(raw) / ID_STEP) * ID_STEP)
export const isScreen = (raw: string): boolean => Number(raw) % ID_STEP !== 0

/** The id of the participant who has this stream; null for any other value. */
export function idOf(value: unknown): string | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= ID_STEP ? personOf(String(number)) : null
}
