// Reads `from` and `to` of a query: whole UTC days, both inclusive.
import { invalid } from '../../../domain/errors.ts'
import { parseDay } from '../../../domain/instant.ts'

const DAY_MS = 24 * 60 * 60_000

export type Days = { readonly from: Date | undefined; readonly before: Date | undefined }

export function daysIn(query: { readonly from?: string | undefined; readonly to?: string | undefined }): Days {
  const from = dayIn('from', query.from)
  const to = dayIn('to', query.to)
  if (from && to && from > to) throw invalid('from must not be after to.')
  return { from, before: to && new Date(to.getTime() + DAY_MS) }
}

function dayIn(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const day = parseDay(text)
  if (!day) throw invalid(`${field} must be a date in the form YYYY-MM-DD.`)
  return day
}
