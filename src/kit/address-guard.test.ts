// Addresses that the HTTP client refuses to connect to, and the check of a URL before DNS.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpClient, NetworkError, urlProblem } from './http-client.ts'

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'private.example': ['10.0.0.5'],
  'loopback.example': ['127.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'azure.example': ['168.63.129.16'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'compatible.example': ['::7f00:1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'local-nat64.example': ['64:ff9b:1::7f00:1'],
  '6to4.example': ['2002:7f00:1::'],
  'unique-local.example': ['fd00:ec2::254'],
  'link-local.example': ['fe80::1'],
  'site-local.example': ['fec0::1'],
  'carrier.example': ['100.64.0.1'],
  'none.example': ['0.0.0.0'],
  'nonsense.example': ['not an address'],
}

const LITERALS = [
  ...[
    '127.0.0.1',
    '127.9.9.9',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::]',
  ],
  ...[
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
  ],
  ...[
    '255.255.255.255',
    '203.0.113.1',
    '168.63.129.16',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[fd00::1]',
  ],
  ...['[fe80::1]', '[ff02::1]', '[2001:db8::1]', '[5f00::1]', '[4000::1]', '127.0.0.1.'],
]

let reached = 0
const server = createServer((_, answer) => {
  reached += 1
  answer.end('SECRET')
})
let port = 0

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

const lookup = async (hostname: string) =>
  (ADDRESSES[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'reached',
    (error: unknown) => (error instanceof NetworkError ? error.reason : error),
  )

describe('an HTTP client', () => {
  test.each([...Object.keys(ADDRESSES), ...LITERALS])('blocks %s', async (host) => {
    const http = createHttpClient({ allowPrivate: false, timeoutMs: 2_000, lookup })
    for (const scheme of ['http', 'https']) {
      expect(await reasonOf(http.post(`${scheme}://${host}:${port}/`, { body: '' }))).toBe('blocked_address')
      expect(await reasonOf(http.request(`${scheme}://${host}:${port}/`, { maxBytes: 10 }))).toBe('blocked_address')
    }
    await http.close()
    expect(reached).toBe(0)
  })

  test('blocks DNS rebinding', async () => {
    // The first DNS answer is public and unreachable. A second lookup for the same connection would be private and must not happen.
    const answers = [['2001:4860:4860::8888'], ['127.0.0.1']]
    const http = createHttpClient({
      allowPrivate: false,
      timeoutMs: 200,
      lookup: async () => (answers.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    })
    expect(await reasonOf(http.post(`http://rebind.example:${port}/`, { body: '' }))).toMatch(/^(refused|timeout)$/)
    expect(answers).toEqual([['127.0.0.1']])
    expect(await reasonOf(http.post(`http://rebind.example:${port}/`, { body: '' }))).toBe('blocked_address')
    expect(reached).toBe(0)
  })

  test('allows private addresses with allowPrivate', async () => {
    const http = createHttpClient({ allowPrivate: true, lookup })
    expect(await http.post(`http://loopback.example:${port}/`, { body: '' })).toMatchObject({ status: 200, head: 'SECRET' })
    expect(await http.request(`http://127.0.0.1:${port}/`, { maxBytes: 10 })).toMatchObject({ status: 200 })
    await http.close()
    reached = 0
  })
})

describe('urlProblem', () => {
  const SECURE = { schemes: ['https'], allowPrivate: false }
  const WEB = { schemes: ['http', 'https'], allowPrivate: false }
  const SOCKET = { schemes: ['wss'], allowPrivate: false }
  const loose = <Rules extends typeof SECURE>(rules: Rules) => ({ ...rules, allowPrivate: true })

  test.each([
    ['https://a.example/hook?x=1', SECURE],
    ['HTTPS://A.example:8443/', SECURE],
    ['http://a.example', WEB],
    ['https://93.184.216.34/', WEB],
    ['https://[2606:4700::1111]/', WEB],
    ['wss://a.example/live', SOCKET],
    ['http://a.example', loose(SECURE)],
    ['http://localhost:3000/', loose(SECURE)],
    ['ws://127.0.0.1:3000/', loose(SOCKET)],
    [`https://a.example/${'a'.repeat(4078)}`, SECURE],
  ])('accepts %s', (url, rules) => {
    expect(urlProblem(url, rules)).toBeNull()
  })

  test.each([
    ['http://a.example/', SECURE, 'must be an https URL.'],
    ['ftp://a.example/', WEB, 'must be an http or https URL.'],
    ['https://a.example/', SOCKET, 'must be a wss URL.'],
    ['ws://a.example/', SOCKET, 'must be a wss URL.'],
    ['https://a.example/', loose(SOCKET), 'must be a wss URL.'],
    ['', SECURE, 'must be an https URL.'],
    ['a.example', SECURE, 'must be an https URL.'],
    ['https:a.example', SECURE, 'must be an https URL.'],
    ['https://', SECURE, 'must be an https URL.'],
    ['https:///', SECURE, 'must be an https URL.'],
    [' https://a.example/', SECURE, 'must be an https URL.'],
    ['https://a.example/\n', SECURE, 'must be an https URL.'],
    ['https://a.example\\@b.example/', SECURE, 'must be an https URL.'],
    ['https://user@a.example/', SECURE, 'must not carry a user name or password.'],
    ['https://:pw@a.example/', loose(SECURE), 'must not carry a user name or password.'],
    [`https://a.example/${'a'.repeat(4079)}`, SECURE, 'must be at most 4096 characters.'],
  ])('rejects %s', (url, rules, problem) => {
    expect(urlProblem(url, rules)).toBe(problem)
  })

  test.each(['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', ...LITERALS])('rejects the private host in https://%s/', (host) => {
    expect(urlProblem(`https://${host}/`, SECURE)).toBe('must not point to a private or loopback address.')
    expect(urlProblem(`https://${host}/`, loose(SECURE))).toBeNull()
  })
})
