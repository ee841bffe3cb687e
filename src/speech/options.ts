// A caller's options for a vendor: passed on under the vendor's own names, over our defaults and under what is ours to say.
import type { JsonObject } from '../domain/bot.ts'
import { isAuto } from '../domain/speech-languages.ts'
import { SpeechFailed } from './provider.ts'

export type OptionRules = {
  readonly defaults: JsonObject
  /** `model` and `language` are understood for every vendor, whatever it calls them. */
  readonly renamed?: Readonly<Record<string, string>>
  /** How the vendor is asked to detect the language. Without it the vendor does so when no language is named. */
  readonly auto?: JsonObject
  /** Credentials, addresses, the sound's format and the shape of the answer: a caller's word on these is left out. */
  readonly ours: readonly string[]
}

const LANGUAGE = /^language(_code)?$/
const NEVER = ['file', 'token', 'access_token', 'api_key', 'key', 'authorization']

export function mergeOptions(all: JsonObject, { defaults, renamed = {}, auto = {}, ours }: OptionRules): JsonObject {
  const left = new Set([...NEVER, ...ours])
  const given = Object.entries(all).filter(([name, value]) => !(LANGUAGE.test(name) && isAuto(value)))
  const detected = given.length < Object.keys(all).length ? auto : {}
  const wanted = given
    .map(([name, value]): [string, unknown] => [Object.hasOwn(renamed, name) ? (renamed[name] ?? name) : name, value])
    .filter(([name, value]) => !left.has(name.toLowerCase().replace(/\[\]$/, '')) && value !== null && value !== undefined)
  return { ...defaults, ...detected, ...Object.fromEntries(wanted) }
}

type Pairs = readonly (readonly [string, string])[]

/** Options as a query or a form has them. A list is its name several times, under `listName`; an object is JSON. */
export function asPairs(options: JsonObject, listName: (name: string) => string = (name) => name): Pairs {
  return Object.entries(options).flatMap(([name, value]) =>
    Array.isArray(value) ? value.map((item): [string, string] => [listName(name), asText(name, item)]) : [[name, asText(name, value)]],
  )
}

function asText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  throw new SpeechFailed(`The provider option ${name} must be a text, a number, true or false, a list or an object.`, { passing: false })
}
