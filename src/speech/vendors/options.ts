// Merges a caller's provider options with our defaults. Reserved options of the adapter cannot be overridden.
import type { JsonObject } from '../../domain/bot.ts'
import { isAuto } from '../../domain/speech-languages.ts'
import { SpeechFailed } from '../provider.ts'

export type OptionRules = {
  readonly defaults: JsonObject
  /** Our common option names, such as `model` and `language`, and the vendor's names for them. */
  readonly renamed?: Readonly<Record<string, string>>
  /** The options that request language detection. Absent: the vendor detects the language when none is given. */
  readonly auto?: JsonObject
  /** Options that callers cannot set: credentials, URLs, the audio format and the format of the answer. */
  readonly reserved: readonly string[]
}

const LANGUAGE = /^language(_code)?$/
const ALWAYS_RESERVED = ['file', 'token', 'access_token', 'api_key', 'key', 'authorization']

export function mergeOptions(all: JsonObject, { defaults, renamed = {}, auto = {}, reserved }: OptionRules): JsonObject {
  const omitted = new Set([...ALWAYS_RESERVED, ...reserved])
  const given = Object.entries(all).filter(([name, value]) => !(LANGUAGE.test(name) && isAuto(value)))
  const detected = given.length < Object.keys(all).length ? auto : {}
  const wanted = given
    .map(([name, value]): [string, unknown] => [Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name, value])
    .filter(([name, value]) => !omitted.has(name.toLowerCase().replace(/\[\]$/, '')) && value !== null && value !== undefined)
  return { ...defaults, ...detected, ...Object.fromEntries(wanted) }
}

/** Options as name-value pairs of a query or a form. A list repeats its name as `listName`; an object becomes JSON. */
export function asPairs(options: JsonObject, listName: (name: string) => string = (name) => name): [string, string][] {
  return Object.entries(options).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item): [string, string] => [listName(name), asText(name, item)]) : [[name, asText(name, value)]],
  )
}

function asText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  throw new SpeechFailed(`The provider option ${name} must be a string, a number, a boolean, a list or an object.`, { retryable: false })
}
