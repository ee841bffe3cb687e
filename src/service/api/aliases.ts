// Alias names of fields and providers, mapped to the specification's neutral names. No other file knows them.
import { isJsonObject, type JsonObject } from '../../domain/bot.ts'

export const FIELDS: Readonly<Record<string, string>> = {
  zoom: 'platforma',
  google_meet: 'platformb',
  teams: 'platformc',
  google_login_domain: 'platformb_login_domain',
  teams_login_domain: 'platformc_login_domain',
  use_zoom_obf: 'use_platforma_obf',
  zoom_oauth_connection_user_id: 'platforma_oauth_connection_user_id',
}

/** A Map and not an object: a caller may send `__proto__` as a provider name. */
export const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['meetstream', 'native'],
  ['meetstream_streaming', 'native_streaming'],
])

const SECTIONS = ['platforma', 'platformb', 'platformc'] as const

export type Neutral = {
  readonly body: JsonObject
  /** Maps each neutral name to the alias that the caller used, so that an error can name the caller's field. */
  readonly usedAliases: ReadonlyMap<string, string>
}

/** Renames aliases to neutral names. If a caller sends both, the neutral field wins unless it is null. */
export function neutral(body: JsonObject): Neutral {
  const usedAliases = new Map<string, string>()
  const top: Record<string, unknown> = renamed(body, usedAliases)
  for (const section of SECTIONS) if (isJsonObject(top[section])) top[section] = renamed(top[section], usedAliases)
  return { body: top, usedAliases }
}

/** Replaces neutral names in an error message with the aliases that the caller used. */
export function withCallerNames(sentence: string, usedAliases: ReadonlyMap<string, string>): string {
  if (usedAliases.size === 0) return sentence
  return sentence.replace(/\b(use_)?platform[abc](_[a-z_]+)?\b/g, (name) => usedAliases.get(name) ?? name)
}

export function neutralField(name: string): string {
  return Object.hasOwn(FIELDS, name) ? (FIELDS[name] ?? name) : name
}

export function neutralProvider(name: string): string {
  return PROVIDERS.get(name) ?? name
}

function renamed(fields: JsonObject, usedAliases: Map<string, string>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...fields }
  for (const [alias, name] of Object.entries(FIELDS)) {
    if (!Object.hasOwn(fields, alias)) continue
    delete result[alias]
    if (Object.hasOwn(fields, name) && fields[name] !== null) continue
    result[name] = fields[alias]
    usedAliases.set(name, alias)
  }
  return result
}
