// Arbitrary requests: any method, any path, any header, any body.
import fc from 'fast-check'
import type { GeneratedRequest } from './generated-requests.ts'
import { hostileText, hostileValue, TOO_LARGE } from './hostile-values.ts'
import type { Operation } from './openapi.ts'
import { textNamed } from './schema-values.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'LINK', 'QUERY']
const BODILESS = ['HEAD', 'TRACE']

const ESCAPES = [
  '%',
  '%zz',
  '%2',
  '%00',
  '%ff',
  '%c0%af',
  '%2e%2e',
  '%2F',
  '%252F',
  '%ED%A0%80',
  '%F0%9F%A6%8A',
  '%u0041',
  '..',
  '//',
  '~',
  '*',
  ';a=1',
  '@',
  '\\',
  '|',
  '{bot_id}',
  ':bot_id',
]
const QUERIES = [
  '',
  '?',
  '?=',
  '?&&',
  '?limit=1&limit=2',
  '?cursor=%00',
  '?cursor=W10',
  '?cursor=WyIxIiwiMiJd',
  '?limit=%31',
  '?limit[]=1',
  '?__proto__=1&constructor=2',
  '?custom_attr[a]=1&custom_attr[a]=2',
  '?custom_attr[]=x',
  '?custom_attr[=x',
  '?from=2026-13-01',
  '?status=%F0%9F%A6%8A',
  '?a=%ZZ',
  '?x=%00',
  '#part',
  '?bot_id=..%2f',
  '?expires_in=9e9',
]

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json; charset=latin1',
  'text/plain',
  'text/html',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
  '',
  'nonsense',
  'application/json, text/plain',
  '/',
]
const BODIES = [
  '',
  ' ',
  '{',
  '}',
  '[',
  '{"a":}',
  "{'a':1}",
  '{"a":1,}',
  'null',
  'true',
  '0',
  '"text"',
  '[]',
  '{}',
  '\ufeff{}',
  '{"a":1}{"b":2}',
  'NaN',
  '{"__proto__":{"x":1}}',
  '{"meeting_link":"https://meet.google.com/abc-defg-hij"',
  '{"a":"\u0001"}',
  '['.repeat(20_000),
  '{"a":'.repeat(2_000),
  'a=1&b=2',
  '<a/>',
  '\ud83e',
]

/** A token that is present but invalid. */
const WRONG_TOKENS = [
  'Token wrong-key',
  'Bearer a-key-for-tests-0123456789',
  'Token',
  'Basic YTpi',
  'a-key-for-tests-0123456789',
  'Token a-key-for-tests-0123456789 x',
  'Token a-key-for-tests-012345678',
]

export function wildRequests(operations: readonly Operation[]): fc.Arbitrary<GeneratedRequest> {
  const parts = fc.record({
    method: fc.constantFrom(...METHODS, 'GET', 'POST', 'DELETE'),
    target: fc
      .tuple(
        targets(operations),
        fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 2, arbitrary: fc.constantFrom(...QUERIES) }),
      )
      .map((it) => it.join('')),
    token: fc.constantFrom('right' as const, 'right' as const, 'wrong' as const, 'none' as const),
    wrong: fc.constantFrom(...WRONG_TOKENS),
    headers: headers(),
    body: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 3, arbitrary: bodies() }),
  })
  return fc.oneof({ weight: 60, arbitrary: parts.map(wild) }, { weight: 1, arbitrary: tooLarge(operations) })
}

type Parts = Pick<GeneratedRequest, 'method' | 'target' | 'token' | 'headers' | 'body'> & { readonly wrong: string }

function wild({ wrong, ...parts }: Parts): GeneratedRequest {
  const headers = { ...parts.headers, ...(parts.token === 'wrong' && { authorization: wrong }) }
  const body = BODILESS.includes(parts.method) ? null : parts.body
  return { ...parts, kind: 'wild', headers, body, expected: null, names: [], again: null }
}

/** To an operation, to an operation with a broken path, and to an unknown path. */
function targets(operations: readonly Operation[]): fc.Arbitrary<string> {
  const words = [...new Set(operations.flatMap(({ path }) => path.split('/').filter((it) => it !== '' && !it.startsWith('{'))))]
  const filled = fc.tuple(fc.constantFrom(...operations), textNamed('bot_id')).map(([{ path }, id]) => path.replaceAll(/\{[^}]+\}/g, id))
  const oddity = fc.constantFrom(...ESCAPES)
  const spoiled = fc.tuple(filled, oddity, fc.nat(60)).map(([path, it, at]) => `/${path.slice(1, at + 1)}${it}${path.slice(at + 1)}`)
  const shouted = filled.map((path) => path.toUpperCase())
  const disguised = filled.map((path) => path.replace('o', '%6F').replace('s', '%73'))
  const mixed = fc
    .array(fc.oneof(fc.constantFrom(...words), oddity, fc.string({ unit: fc.constantFrom(...'abc-_.~!$&()*+,;=:@') })), { maxLength: 6 })
    .map((it) => `/${it.join('/')}`)
  const long = fc.tuple(filled, fc.constantFrom(300, 3_000, 12_000)).map(([path, length]) => `${path}/${'long'.repeat(length / 4)}`)
  const ending = filled.map((path) => `${path}/`)
  return fc.oneof(
    { weight: 8, arbitrary: filled },
    { weight: 4, arbitrary: spoiled },
    shouted,
    disguised,
    { weight: 3, arbitrary: mixed },
    long,
    ending,
  )
}

function headers(): fc.Arbitrary<GeneratedRequest['headers']> {
  return fc.record(
    {
      'content-type': fc.constantFrom(...CONTENT_TYPES, ...Array<string>(8).fill('application/json')),
      'idempotency-key': fc.constantFrom<string | string[]>('', ' ', 'k'.repeat(300), 'ü', ['a', 'b'], '__proto__'),
      accept: fc.constantFrom('text/html', 'application/xml', '*/*;q=0', 'nonsense'),
      'accept-version': fc.constantFrom('2.x', ''),
      'x-request-id': fc.constantFrom('mine', '<script>'),
      'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
      'x-forwarded-for': fc.constantFrom('127.0.0.1', 'nonsense'),
      origin: fc.constantFrom('https://evil.example', 'null'),
      cookie: fc.constantFrom('a=b', '='),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
}

function bodies(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...BODIES) },
    { weight: 2, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: hostileText },
    { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  )
}

function tooLarge(operations: readonly Operation[]): fc.Arbitrary<GeneratedRequest> {
  const writing = operations.filter(({ body }) => body !== null)
  const body = JSON.stringify({ meeting_link: 'x'.repeat(TOO_LARGE) })
  return fc.constantFrom(...writing).map(({ method, path }) => {
    const target = path.replaceAll(/\{[^}]+\}/g, 'bot_x')
    const headers = { 'content-type': 'application/json' }
    return { kind: 'wild', method, target, headers, body, token: 'right', expected: [400], names: [], again: null }
  })
}
