// Walks the text in a parsed JSON value: every field name and every string, in linear time.
import { invalid } from '../../../domain/errors.ts'

const MAX_DEPTH = 32
/** A million small values take a second of checks and validation. No request of ours needs more than a few thousand. */
const MAX_VALUES = 50_000

/** Field names and array indexes from the body to the value. The array changes during the walk. */
export type JsonPath = readonly (string | number)[]

/** Returns true to end the walk. A field name has the path of its object. */
export type VisitText = (text: string, path: JsonPath, isName: boolean) => boolean

/** Throws a 400 if the value is nested too deeply or has too many values. */
export function walkText(body: unknown, visit: VisitText): void {
  const path: (string | number)[] = []
  let values = 0

  function walk(value: unknown): boolean {
    values += 1
    if (values > MAX_VALUES) throw invalid(`The request body must have at most ${MAX_VALUES} values.`)
    if (typeof value === 'string') return visit(value, path, false)
    if (typeof value !== 'object' || value === null) return false
    if (path.length >= MAX_DEPTH) throw invalid(`The request body must be nested at most ${MAX_DEPTH} levels deep.`)
    return Array.isArray(value) ? value.some((inner, index) => enter(index, inner)) : walkFields(value as Record<string, unknown>)
  }

  function walkFields(fields: Readonly<Record<string, unknown>>): boolean {
    // Not Object.entries, which copies all fields before the first is counted.
    for (const name in fields) if (visit(name, path, true) || enter(name, fields[name])) return true
    return false
  }

  function enter(name: string | number, value: unknown): boolean {
    path.push(name)
    const isEnded = walk(value)
    path.pop()
    return isEnded
  }

  walk(body)
}
