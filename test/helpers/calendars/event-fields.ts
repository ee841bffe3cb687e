// Times and links of calendar events.
const MINUTE_MS = 60_000

export const inMinutes = (minutes: number): Date => new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS)
export const inHours = (hours: number): Date => inMinutes(hours * 60)

/** Start and end in Google's format. */
export function during(start: Date, minutes = 30, timeZone = 'UTC') {
  const end = new Date(start.getTime() + minutes * MINUTE_MS)
  return { start: { dateTime: start.toISOString(), timeZone }, end: { dateTime: end.toISOString(), timeZone } }
}

const LETTERS = 'abcdefghij'

/** A different Google Meet link for every number. */
export function meetLink(number: number): string {
  const letters = String(number)
    .padStart(10, '0')
    .replaceAll(/\d/g, (digit) => LETTERS[Number(digit)] ?? 'a')
  return `https://meet.google.com/${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7)}`
}
