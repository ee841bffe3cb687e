import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { isLoopback, networkOf, plainAddress, provenAddress } from './addresses.ts'

const request = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ headers, socket: { remoteAddress } }) as unknown as IncomingMessage

test.each([
  ['::ffff:10.0.0.7', '10.0.0.7'],
  ['::FFFF:a00:7', '10.0.0.7'],
  ['fe80::1%eth0', 'fe80::1'],
  ['2001:DB8:0::1', '2001:db8::1'],
  ['10.0.0.7', '10.0.0.7'],
  ['unknown', 'unknown'],
])('normalises %s to %s', (spelled, plain) => {
  expect(plainAddress(spelled)).toBe(plain)
})

test.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])('recognises %s as loopback', (host) => {
  expect(isLoopback(host)).toBe(true)
})

test.each(['0.0.0.0', '::', '10.0.0.1', 'localhost.example', '127.0.0.1.example', ''])('does not recognise %j as loopback', (host) => {
  expect(isLoopback(host)).toBe(false)
})

test('maps the addresses of one IPv6 customer to one network, and each IPv4 address to its own', () => {
  expect(networkOf('2001:db8:1:2:3::4')).toBe(networkOf('2001:db8:1:2:ffff::1'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
  expect(networkOf('192.0.2.1')).not.toBe(networkOf('192.0.2.2'))
  expect(networkOf('::ffff:192.0.2.1')).toBe(networkOf('192.0.2.1'))
})

test.each([
  ['a direct connection', request('::ffff:10.0.0.7'), false, '10.0.0.7'],
  ['a direct connection where a proxy is expected', request('10.0.0.7'), true, '10.0.0.7'],
  ['an address added by the trusted proxy', request('127.0.0.1', { 'x-forwarded-for': '10.0.0.7' }), true, '10.0.0.7'],
  ['an address forged by the client', request('127.0.0.1', { 'x-forwarded-for': '10.0.0.1, 192.0.2.7' }), true, '192.0.2.7'],
  ['a header that is no address', request('127.0.0.1', { 'x-forwarded-for': 'unknown' }), true, null],
  ['a proxy that is not trusted', request('127.0.0.1', { 'x-forwarded-for': '10.0.0.7' }), false, null],
  ['a proxy that names only itself', request('127.0.0.1', { via: '1.1 proxy' }), false, null],
])('finds the client address with %s', (_case, asked, trustProxy, address) => {
  expect(provenAddress(asked, trustProxy)).toBe(address)
})
