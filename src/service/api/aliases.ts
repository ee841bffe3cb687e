// The other names a caller may use for a field or a value, mapped to the specification's neutral ones. Only here.
import type { JsonObject } from '../../domain/bot.ts'

export const FIELDS: Readonly<Record<string, string>> = {
  zoom: 'platforma',
  google_meet: 'platformb',
  teams: 'platformc',
  google_login_domain: 'platformb_login_domain',
  teams_login_domain: 'platformc_login_domain',
  use_zoom_obf: 'use_platforma_obf',
  zoom_oauth_connection_user_id: 'platforma_oauth_connection_user_id',
}

/** A map: whatever else a caller calls a provider, `__proto__` too, is no alias. */
export const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['meetstream', 'native'],
  ['meetstream_streaming', 'native_streaming'],
])

const SECTIONS = ['platforma', 'platformb', 'platformc'] as const

export type Neutral = {
  readonly body: JsonObject
  /** Neutral name to the one the caller used, so that an error speaks the caller's words. */
  readonly spoken: ReadonlyMap<string, string>
}

/** The body in neutral names. Where a caller sends both names, the neutral one counts, unless it is null. */
export function neutral(body: JsonObject): Neutral {
  const spoken = new Map<string, string>()
  const top: Record<string, unknown> = renamed(body, spoken)
  for (const section of SECTIONS) if (isObject(top[section])) top[section] = renamed(top[section], spoken)
  return { body: top, spoken }
}

/** A sentence about neutral names, in the caller's. */
export function inCallersWords(sentence: string, spoken: ReadonlyMap<string, string>): string {
  if (spoken.size === 0) return sentence
  return sentence.replace(/\b(use_)?platform[abc](_[a-z_]+)?\b/g, (name) => spoken.get(name) ?? name)
}

export function neutralField(name: string): string {
  return Object.hasOwn(FIELDS, name) ? (FIELDS[name] ?? name) : name
}

/** The provider id in neutral words. */
export function neutralProvider(name: string): string {
  return PROVIDERS.get(name) ?? name
}

function renamed(fields: JsonObject, spoken: Map<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...fields }
  for (const [alias, name] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(fields, alias)) continue
    delete result[alias]
    if (Object.hasOwn(fields, name) && fields[name] !== null) continue
    result[name] = fields[alias]
    spoken.set(name, alias)
  }
  return result
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
