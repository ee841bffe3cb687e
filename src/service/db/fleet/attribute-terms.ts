// Custom attributes as search terms: one number per workspace, name and value, so every filter is an index look-up.
import { createHash } from 'node:crypto'
import type { JsonObject, WorkspaceId } from '../../../domain/bot.ts'

/** The terms of a bot. Nested values have none, because a filter cannot name them. */
export function attributeTerms(workspace: WorkspaceId, attributes: JsonObject): string[] {
  return Object.entries(attributes)
    .filter(([, value]) => value === null || typeof value !== 'object')
    .map(([name, value]) => term(workspace, name, String(value)))
}

export type AttributeFilter = readonly [name: string, text: string]

/**
 * For each name, the terms of which a bot must have one: `3` finds 3 and "3", and `3.0` finds 3 and "3.0". A name that is given twice must
 * match both values; `none` if no value can.
 */
export function wantedTerms(workspace: WorkspaceId, filters: readonly AttributeFilter[]): (readonly string[])[] | 'none' {
  const spellings = new Map<string, readonly string[]>()
  for (const [name, text] of filters) {
    const known = spellings.get(name)
    const these = [...new Set([text, String(parsed(text))])]
    spellings.set(name, known ? known.filter((spelling) => these.includes(spelling)) : these)
  }
  const wanted = [...spellings].map(([name, all]) => all.map((spelling) => term(workspace, name, spelling)))
  return wanted.some((terms) => terms.length === 0) ? 'none' : wanted
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? text : value
  } catch {
    return text // Not JSON: a plain string, as the specification says.
  }
}

/** A 64-bit hash in the notation of PostgreSQL's bigint. */
function term(workspace: WorkspaceId, name: string, value: string): string {
  return createHash('sha256')
    .update(JSON.stringify([workspace, name, value]))
    .digest()
    .readBigInt64BE()
    .toString()
}
