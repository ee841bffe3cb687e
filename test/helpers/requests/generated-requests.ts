// Requests generated from the published API description: valid, broken and absurd ones.
import fc from 'fast-check'
import { validBodies } from './create-bot-bodies.ts'
import { BREAKAGES, FORBIDDEN_PATCH } from './create-bot-breakages.ts'
import {
  type FieldPath,
  fieldsOf,
  hostileText,
  hostileValue,
  isKnownInvalid,
  type JsonObject,
  MISSING,
  withField,
} from './hostile-values.ts'
import type { Operation, Parameter } from './openapi.ts'
import { textNamed, valueFor } from './schema-values.ts'

export type GeneratedRequest = {
  readonly kind: 'valid' | 'mutated' | 'wild'
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string | null
  /** `right`: the sender adds the token that the path requires. */
  readonly token: 'right' | 'wrong' | 'none'
  /** The allowed statuses, or null if any documented one is allowed. */
  readonly expected: readonly number[] | null
  /** The message must name one of these fields. */
  readonly names: readonly string[]
  /** A request to be sent right after this one is answered, to check its effect. */
  readonly again: 'replay' | 'duplicate' | 'conflict' | null
}

const PLAIN = { headers: {}, body: null, token: 'right', expected: null, names: [], again: null } as const

const JSON_BODY = { 'content-type': 'application/json' } as const

export function isCreateBot({ operationId }: Operation): boolean {
  return operationId === 'createBot'
}

/** Two in ten go to create_bot, the others are spread over all operations. */
export function validRequests(operations: readonly Operation[], serviceUrl: string): fc.Arbitrary<GeneratedRequest> {
  const others = operations.filter((it) => !isCreateBot(it))
  return fc.oneof(
    { weight: 2, arbitrary: validCreations(serviceUrl) },
    {
      weight: 8,
      arbitrary: fc
        .constantFrom(...others)
        .chain((it) => fc.tuple(targetOf(it, queryOf(it)), bodyOf(it)).map(([target, body]) => valid(it, target, body))),
    },
  )
}

function valid({ method }: Operation, target: string, body: unknown): GeneratedRequest {
  if (body === undefined) return { ...PLAIN, kind: 'valid', method, target }
  return { ...PLAIN, kind: 'valid', method, target, headers: JSON_BODY, body: JSON.stringify(body) }
}

function validCreations(serviceUrl: string): fc.Arbitrary<GeneratedRequest> {
  const again = fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 3, arbitrary: fc.constantFrom('replay', 'duplicate', 'conflict') },
  )
  return fc.tuple(validBodies(serviceUrl), again, fc.uuid(), fc.boolean()).map(([body, again, key, keyed]) => ({
    ...PLAIN,
    kind: 'valid',
    method: 'POST',
    target: '/api/v1/bots/create_bot',
    headers: { ...JSON_BODY, ...((keyed || again === 'replay') && { 'idempotency-key': key }) },
    body: JSON.stringify({ ...body, ...((again === 'duplicate' || again === 'conflict') && { deduplication_key: key }) }),
    expected: [201],
    again,
  }))
}

/** A valid request with one or several broken fields. */
export function mutatedRequests(operations: readonly Operation[], serviceUrl: string): fc.Arbitrary<GeneratedRequest> {
  const breakable = operations.filter((it) => it.body ?? (it.query.length > 0 || it.pathParameters.length > 0))
  return fc.oneof(
    { weight: 3, arbitrary: brokenCreations(serviceUrl) },
    { weight: 7, arbitrary: fc.constantFrom(...breakable).chain((it) => fc.oneof(...breakersOf(it, serviceUrl))) },
  )
}

function brokenCreations(serviceUrl: string): fc.Arbitrary<GeneratedRequest> {
  const base = {
    ...PLAIN,
    kind: 'mutated',
    method: 'POST',
    target: '/api/v1/bots/create_bot',
    headers: JSON_BODY,
    expected: [400],
  } as const
  const breakages = fc.array(fc.constantFrom(...BREAKAGES), { minLength: 1, maxLength: 3 })
  const bodies = validBodies(serviceUrl).map(withoutInterplay)
  const broken = fc.tuple(bodies, breakages).map(([body, chosen]) => ({
    ...base,
    body: JSON.stringify(Object.assign({}, body, ...chosen.map(({ patch }) => patch))),
    names: chosen.map(({ names }) => names),
  }))
  const forbidden = bodies.map((body) => ({
    ...base,
    body: JSON.stringify({ ...body, ...FORBIDDEN_PATCH }),
    expected: [403],
  }))
  const keys = fc.constantFrom('', 'k'.repeat(256))
  const badKeys = fc.tuple(validBodies(serviceUrl), keys).map(([body, key]) => ({
    ...base,
    headers: { ...JSON_BODY, 'idempotency-key': key },
    body: JSON.stringify(body),
    names: ['Idempotency-Key'],
  }))
  return fc.oneof({ weight: 18, arbitrary: broken }, { weight: 1, arbitrary: forbidden }, { weight: 1, arbitrary: badKeys })
}

/** Without fields whose rules depend on the link or on each other, because a changed link would break those first. */
function withoutInterplay(body: JsonObject): JsonObject {
  const { automatic_leave, recording_config, live_transcription_required, platforma, zoom, ...rest } = body
  return rest
}

/** The ways in which a request to this operation can be broken. */
function breakersOf(operation: Operation, serviceUrl: string): fc.Arbitrary<GeneratedRequest>[] {
  return [
    ...(operation.body ? [brokenBodies(operation, serviceUrl)] : []),
    ...(operation.query.length > 0 ? [brokenQueries(operation)] : []),
    ...(operation.pathParameters.length > 0 ? [brokenPaths(operation)] : []),
  ]
}

function brokenBodies(operation: Operation, serviceUrl: string): fc.Arbitrary<GeneratedRequest> {
  const schema = operation.body ?? {}
  const fields = fieldsOf(schema)
  const change = fc.tuple(
    fc.constantFrom<FieldPath>(...fields, ['constructor'], ['a_field_of_the_future']),
    fc.oneof({ weight: 6, arbitrary: hostileValue }, { weight: 1, arbitrary: fc.constant<unknown>(MISSING) }),
  )
  const changes = fc.oneof(
    { weight: 9, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: hostileValue.map((whole) => [[[] as FieldPath, whole]] as [FieldPath, unknown][]) },
  )
  const bodies = isCreateBot(operation) ? validBodies(serviceUrl) : valueFor(schema)
  return fc.tuple(targetOf(operation, queryOf(operation)), bodies, changes).map(([target, body, changed]) => {
    const broken = changed.reduce<unknown>((it, [path, value]) => withField(it, path, value), body)
    const expected = isKnownInvalid(schema, broken) ? refusalsOf(operation) : null
    return { ...PLAIN, kind: 'mutated', method: operation.method, target, headers: JSON_BODY, body: JSON.stringify(broken), expected }
  })
}

/** Some rules are checked only after the path's id exists, and those of calendar bots only when a bot is created. */
function refusalsOf({ path, pathParameters }: Operation): readonly number[] | null {
  if (path.includes('/calendar/')) return null
  return pathParameters.length > 0 ? [400, 404, 409] : [400]
}

const NO_COUNTS = ['abc', '0', '101', '-1', '1.5', '', 'NaN', '1,2']

function brokenQueries(operation: Operation): fc.Arbitrary<GeneratedRequest> {
  const broken = fc.constantFrom(...operation.query).chain(({ name, schema }) => {
    const isPicky = schema.type === 'integer' || schema.type === 'boolean' || schema.enum !== undefined
    const refused = schema.type === 'boolean' ? NO_COUNTS.filter((value) => value !== '0') : NO_COUNTS
    const known = fc.constantFrom(...refused).map((value) => ({ query: pair(name, value), expected: isPicky ? [400] : null }))
    const wild = fc.oneof(hostileText, fc.string()).map((value) => ({ query: pair(name, value), expected: null }))
    const twice = fc.constant({ query: `${pair(name, '1')}&${pair(name, '2')}`, expected: name.startsWith('custom_attr') ? null : [400] })
    return fc.oneof({ weight: 3, arbitrary: known }, { weight: 3, arbitrary: wild }, { weight: 1, arbitrary: twice })
  })
  return fc.tuple(targetOf(operation, fc.constant('')), broken).map(([target, { query, expected }]) => {
    return { ...PLAIN, kind: 'mutated', method: operation.method, target: `${target}?${query}`, expected }
  })
}

function brokenPaths(operation: Operation): fc.Arbitrary<GeneratedRequest> {
  const segment = fc.oneof(
    hostileText,
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('.', '..', 'bot_', 'x'.repeat(301), '*', ':bot_id', '{bot_id}'),
  )
  return fc.tuple(segment, bodyOf(operation)).map(([text, body]) => {
    const target = operation.path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(text.toWellFormed()))
    return { ...valid(operation, target, body), kind: 'mutated' }
  })
}

/** The path with known and unknown ids, and its query. */
function targetOf({ path, pathParameters }: Operation, queries: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.tuple(...pathParameters.map(textNamed)), queries).map(([ids, query]) => {
    const left = [...ids]
    const filled = path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(left.shift() ?? ''))
    return query ? `${filled}?${query}` : filled
  })
}

function queryOf({ query }: Operation): fc.Arbitrary<string> {
  const one = ({ name, schema }: Parameter) =>
    fc.option(valueFor(schema, name), { freq: 2, nil: undefined }).map((value) => (value === undefined ? [] : [pair(name, String(value))]))
  return fc.tuple(...query.map(one)).map((pairs) => pairs.flat().join('&'))
}

function pair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`
}

function bodyOf({ body }: Operation): fc.Arbitrary<unknown> {
  return body ? valueFor(body) : fc.constant(undefined)
}
