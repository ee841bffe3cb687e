// Reads fields of a platform's JSON messages. Any field may be missing or of another type.
import { parsedOrNull } from '../../../kit/parsed-or-null.ts'

/** Parses JSON. Returns null where it is invalid. */
export function parsed(content: Uint8Array | string): unknown {
  return parsedOrNull(Buffer.from(content).toString())
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (Object.hasOwn(Object(inner), name) ? Reflect.get(Object(inner), name) : undefined), value)
}

export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export function numberAt(value: unknown, ...path: readonly string[]): number | null {
  const found = at(value, ...path)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
