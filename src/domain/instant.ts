// Parses the times of callers: strict ISO 8601.

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/i

/** The time, or null. Without an offset it is UTC, unless an offset is required. */
export function parseInstant(text: string, { offset }: { readonly offset: 'required' | 'optional' }): Date | null {
  const parts = INSTANT.exec(text)
  if (!parts) return null
  const [, year, month, day, hour, minute, second = '0', zone] = parts
  if (!zone && offset === 'required') return null
  if (!isRealDay(Number(year), Number(month), Number(day))) return null
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  const spelled = text
    .toUpperCase()
    .replace(',', '.')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
  const at = new Date(zone ? spelled : `${spelled}Z`)
  return Number.isNaN(at.getTime()) ? null : at
}

/** Midnight UTC of a day written as YYYY-MM-DD, or null. */
export function parseDay(text: string): Date | null {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts || !isRealDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return null
  return new Date(`${text}T00:00:00Z`)
}

/** JavaScript reads 30 February as 2 March. */
function isRealDay(year: number, month: number, day: number): boolean {
  const it = new Date(Date.UTC(year, month - 1, day))
  return it.getUTCMonth() === month - 1 && it.getUTCDate() === day && year >= 1000
}
