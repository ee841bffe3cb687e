// Values that break programs, and the rule that says which bodies with them must be rejected.
import fc from 'fast-check'
import { misfit, type Schema } from './openapi.ts'

export type JsonObject = { readonly [name: string]: unknown }

/** Larger than any body that the service accepts. */
export const TOO_LARGE = 1_100_000

const nested = (levels: number): unknown => (levels === 0 ? 1 : levels % 2 ? [nested(levels - 1)] : { a: nested(levels - 1) })

/** As text, because an object literal would set the prototype. */
const PROTOTYPE_NAMES = ['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}', '{"toString":1,"valueOf":null}']

const TEXTS = [
  '',
  ' ',
  '\t\n',
  '0',
  '-1',
  '1e999',
  'null',
  'NaN',
  '%00',
  '../../etc/passwd',
  "'; drop table bots; --",
  '<script>1</script>',
]
const UNICODE = ['🦊'.repeat(120), 'e\u0301\u200b\u202e', '\ufeff', '\uffff', 'ﬀ', '\u0130', 'ا'.repeat(300), '\u{10ffff}']
const UNSTORABLE = ['\0', 'a\0b', '\ud800', 'x\udfffy']
const NAMES = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'then']

export const hostileText: fc.Arbitrary<string> = fc.constantFrom(...TEXTS, ...UNICODE, ...UNSTORABLE, ...NAMES, 'x'.repeat(5_000))

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, -1, 0, 0.5, 59, 1801, 2 ** 31, 2 ** 53, 1e308, -1e-308) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], {}, [null], [[]], { a: { b: null } }, nested(8), nested(60)) },
  { weight: 1, arbitrary: fc.constantFrom(...PROTOTYPE_NAMES).map((text): unknown => JSON.parse(text)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      'x'.repeat(20_000),
      Array.from({ length: 1_000 }, (_, index) => index),
    ),
  },
)

/** True if it must be rejected: text that PostgreSQL cannot hold, excessive depth, or a violation of its schema. */
export function isKnownInvalid(schema: Schema, body: unknown): boolean {
  return isUnstorable(body) || misfit(schema, withoutNulls(schema, body)) !== null
}

/** An optional field that is null counts as absent, unless its schema allows null. */
function withoutNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema.items ?? {}, item))
  if (typeof value !== 'object' || value === null) return value
  const isNoValue = (name: string, field: Schema | undefined) => field && !schema.required?.includes(name) && misfit(field, null) !== null
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined
      if (inner === null && isNoValue(name, field)) return []
      return [[name, withoutNulls(field ?? {}, inner)]]
    }),
  )
}

function isUnstorable(value: unknown, depth = 0): boolean {
  if (depth > 50) return true
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => isUnstorable(name) || isUnstorable(inner, depth + 1))
}

export type FieldPath = readonly string[]

/** Every field that the schema names, at any depth. The first item stands for all items of a list. */
export function fieldsOf(schema: Schema, prefix: FieldPath = []): FieldPath[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [[...prefix, name], ...fieldsOf(field, [...prefix, name])])
  return schema.items ? [...own, [...prefix, '0'], ...fieldsOf(schema.items, [...prefix, '0'])] : own
}

/** Marks a field that is removed. */
export const MISSING = Symbol('missing')

/** The body with one field replaced or removed. Missing parents are created. */
export function withField(body: unknown, [name, ...rest]: FieldPath, value: unknown): unknown {
  if (name === undefined) return value
  const copy: unknown = Array.isArray(body) ? [...body] : typeof body === 'object' && body !== null ? { ...body } : name === '0' ? [] : {}
  const fields = copy as Record<string, unknown>
  const next = rest.length === 0 ? value : withField(fields[name], rest, value)
  if (next === MISSING) delete fields[name]
  else fields[name] = next
  return copy
}
