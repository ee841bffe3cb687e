// Values that fit a published schema, or the field's name if that says more.
import fc from 'fast-check'
import type { Schema } from './openapi.ts'

/** Parameters whose values the service issues. A sender replaces a placeholder by a known one. */
const ID_NAMES = ['bot_id', 'transcript_id', 'login_id', 'domain', 'id', 'key_id', 'cursor'] as const
export type IdName = (typeof ID_NAMES)[number]

const PLACEHOLDER = /~(bot_id|transcript_id|login_id|domain|id|key_id|cursor)\.(\d+)~/g

/** The text with an id for every placeholder. */
export function filledIn(text: string, idFor: (name: IdName, index: number) => string): string {
  return text.replaceAll(PLACEHOLDER, (_, name: IdName, index: string) => idFor(name, Number(index)))
}

const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789'), minLength: 3, maxLength: 10 })
const day = fc
  .integer({ min: 0, max: 400 })
  .map((back) => new Date(Date.UTC(2026, 11, 31) - back * 24 * 60 * 60_000).toISOString().slice(0, 10))

function known(name: IdName): fc.Arbitrary<string> {
  const seen = fc.nat(999).map((index) => `~${name}.${index}~`)
  return fc.oneof({ weight: 5, arbitrary: seen }, { weight: 1, arbitrary: word.map((it) => (name === 'domain' ? `${it}.example` : it)) })
}

const NAMED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...Object.fromEntries(ID_NAMES.map((name) => [name, known(name)])),
  sso_workspace_domain: word.map((it) => `${it}.example`),
  scheduled_join_time: fc.integer({ min: 1, max: 2_000 }).map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString()),
  from: day,
  to: day,
  platform: fc.constantFrom('Zoom', 'GMeet', 'Teams', 'WhatsApp', 'Room'),
  status: fc.constantFrom('Scheduled', 'joining', 'DONE', 'Cancelled', 'ERROR'),
  provider: fc.constantFrom('native', 'meetstream', 'native_streaming', 'deepgram'),
  callback_url: fc.constant('https://hooks.example/x'),
  img_url: fc.constant('https://images.example/x.png'),
}

/** A value for a path parameter, by its name. */
export function textNamed(name: string): fc.Arbitrary<string> {
  return NAMED[name] ?? word
}

export function valueFor(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const type = [schema.type].flat().find((it) => it !== 'null') ?? 'null'
  if (type === 'string' && NAMED[name]) return NAMED[name]
  if (schema.anyOf) return NAMED[name] ?? fc.oneof(...schema.anyOf.map((option) => valueFor(option, name)))
  return (TYPES[schema.type === undefined ? '' : type] ?? (() => fc.jsonValue({ maxDepth: 2 })))(schema)
}

const TYPES: Readonly<Record<string, (schema: Schema) => fc.Arbitrary<unknown>>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = 0, maximum = 10_000 }) => fc.integer({ min: minimum, max: maximum }),
  // Small enough that a balance does not overflow after many additions.
  number: ({ minimum = 0, exclusiveMinimum = minimum, maximum = 1_000 }) =>
    fc.integer({ min: Math.max(exclusiveMinimum, -1_000), max: Math.min(maximum, 1_000) - 1 }).map((whole) => whole + 0.5),
  string: ({ format, minLength = 0, maxLength = 40 }) =>
    format === 'email'
      ? word.map((it) => `${it}@example.com`)
      : fc.string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength, minLength + 20) }),
  array: ({ items = {}, minItems = 0, maxItems = 3 }) =>
    fc.array(valueFor(items), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 2) }),
  object: ({ properties = {}, required = [] }) =>
    fc.record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueFor(field, name)])), {
      requiredKeys: [...required],
      noNullPrototype: true,
    }),
}
