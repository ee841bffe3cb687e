// Validates requests against their schemas and turns the first problem into one sentence.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { counted } from '../../../domain/counted.ts'
import { invalid, type ServiceError } from '../../../domain/errors.ts'
import { withoutAbsent } from './absent-fields.ts'
import { ONE_LINE } from './text-rules.ts'

/** Bodies are not coerced. Query values are strings, so numbers and booleans are coerced. */
const bodies = withFormats(new Ajv({ verbose: true, strict: false, useDefaults: false }))
const queries = withFormats(new Ajv({ verbose: true, strict: false, coerceTypes: true, useDefaults: true }))

/** Ajv remembers compiled schemas, so the first request with this body need not wait. */
export function compileBody(schema: object): void {
  bodies.compile(schema)
}

type Part = { readonly schema: unknown; readonly httpPart?: string | undefined }

export function compileValidator({ schema, httpPart }: Part): (data: unknown) => { value: unknown } | { error: ServiceError } {
  const ajv = httpPart === 'body' ? bodies : queries
  let compiled: ValidateFunction | undefined
  return (data) => {
    // Compiled at the first request: compiling all at start doubles the start time.
    compiled ??= ajv.compile(schema as object)
    const validate = compiled
    const value = PREPARE[httpPart ?? '']?.(schema as object, data) ?? data
    if (validate(value)) return { value }
    const error = mostSpecific(validate.errors ?? [])
    return { error: invalid(error ? sentenceOf(error) : 'The request is not valid.') }
  }
}

const PREPARE: Readonly<Record<string, (schema: object, data: unknown) => unknown>> = { body: withoutAbsent, querystring: withBooleans }

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['1', true],
  ['True', true],
  ['0', false],
  ['False', false],
])

/** Python clients send `True` and `False`. */
function withBooleans({ properties = {} }: { properties?: Readonly<Record<string, { type?: unknown }>> }, data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const read = ([name, value]: [string, unknown]) => [name, properties[name]?.type === 'boolean' ? (BOOLEANS.get(value) ?? value) : value]
  return Object.fromEntries(Object.entries(data).map(read))
}

/** A failed union reports each option first and itself last. An option that fails only a constraint is more specific than the union. */
function mostSpecific(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1)
  if (last?.keyword !== 'anyOf') return last
  return errors.find(({ keyword }) => keyword !== 'type' && keyword !== 'const' && keyword !== 'anyOf') ?? last
}

type Message = (error: ErrorObject, schema: Readonly<Record<string, unknown>>) => string

const MESSAGES: Readonly<Record<string, Message>> = {
  required: ({ params }) => `${params.missingProperty} is required.`,
  type: ({ params }) => `must be ${typeNamed(params.type)}.`,
  enum: ({ params }) => `must be one of ${params.allowedValues.join(', ')}.`,
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}.`,
  minimum: (_, schema) => rangeOf(schema),
  maximum: (_, schema) => rangeOf(schema),
  exclusiveMinimum: ({ params }) => `must be more than ${params.limit}.`,
  minLength: (_, schema) => lengthOf(schema),
  maxLength: (_, schema) => lengthOf(schema),
  minItems: ({ params }) => `must have at least ${counted(params.limit, 'item')}.`,
  maxItems: ({ params }) => `must have at most ${counted(params.limit, 'item')}.`,
  pattern: ({ params }, schema) => `must ${typeof schema.title === 'string' ? `be ${schema.title}` : `match ${params.pattern}`}.`,
  format: ({ params }) => (params.format === 'line' ? 'must be one line without control characters.' : `must be a valid ${params.format}.`),
  anyOf: (_, schema) => `must be ${typeof schema.title === 'string' ? schema.title : optionsOf(schema.anyOf)}.`,
  'x-max-bytes': ({ schema }) => `must have at most ${schema} bytes as JSON.`,
  maxProperties: ({ params }) => `must have at most ${counted(params.limit, 'field')}.`,
}

function sentenceOf(error: ErrorObject): string {
  const field = error.instancePath.slice(1).replaceAll('/', '.')
  const text = MESSAGES[error.keyword]?.(error, (error.parentSchema ?? {}) as Record<string, unknown>) ?? 'is not valid.'
  if (error.keyword === 'required') return field ? `${field}.${text}` : text
  return field ? `${field} ${text}` : `The request body ${text.replace('an object', 'a JSON object')}`
}

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'a boolean: true or false',
  integer: 'an integer',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

function typeNamed(type: unknown): string {
  return TYPES[String(type)] ?? `a ${type}`
}

function optionsOf(options: unknown): string {
  const all = options as readonly { readonly const?: unknown; readonly type?: unknown }[]
  if (all.every((option) => option.const !== undefined)) return `one of ${all.map((option) => option.const).join(', ')}`
  return all.map(({ type }) => typeNamed(type)).join(' or ')
}

function rangeOf({ minimum, maximum }: Readonly<Record<string, unknown>>): string {
  if (minimum === undefined) return `must be at most ${maximum}.`
  if (maximum === undefined) return `must be at least ${minimum}.`
  return `must be from ${minimum} to ${maximum}.`
}

function lengthOf({ minLength, maxLength }: Readonly<Record<string, unknown>>): string {
  if (maxLength === undefined) return minLength === 1 ? 'must not be empty.' : `must have at least ${minLength} characters.`
  return minLength === undefined ? `must have at most ${maxLength} characters.` : `must have ${minLength} to ${maxLength} characters.`
}

function withFormats(ajv: Ajv): Ajv {
  formats.default(ajv, ['email', 'uri'])
  ajv.addFormat('line', ONE_LINE)
  ajv.addKeyword({
    keyword: 'x-max-bytes',
    validate: (most: number, data: unknown) => Buffer.byteLength(JSON.stringify(data)) <= most,
  })
  return ajv
}
