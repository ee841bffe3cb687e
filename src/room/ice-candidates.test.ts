import { networkInterfaces } from 'node:os'
import { expect, test } from 'vitest'
import { filterSignal } from './ice-candidates.ts'
import type { Signal } from './wire.ts'

const HIDDEN = '1f7c3a52-0b8e-4a43-9a0e-6b1f2f3c4d5e.local'
const PLACE = { sdpMid: '0', sdpMLineIndex: 0, usernameFragment: 'abcd' }
const line = (address: string, more = '') => `candidate:1234 1 udp 2113937151 ${address} 50000 typ host generation 0${more}`
const candidate = (text: string): Signal => ({ candidate: { candidate: text, ...PLACE } })
const isAllowed = (address: string, sender: string | null) => filterSignal(candidate(line(address)), sender) !== null
/** Addresses of other interfaces than loopback; empty on a machine without a network. */
const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter((it) => !it.internal).map((it) => it.address))

const PRIVATE = [
  '10.0.0.5',
  '192.168.1.1',
  '172.16.0.1',
  '169.254.169.254',
  '100.64.0.1',
  'fd00::1',
  'fe80::1',
  '0.0.0.0',
  '::',
  '224.0.0.1',
]

test.each(PRIVATE)('drops a candidate that points a bot at %s, from outside and from this machine', (address) => {
  expect(isAllowed(address, '203.0.113.9')).toBe(false)
  expect(isAllowed(address, '10.0.0.77')).toBe(false)
  expect(isAllowed(address, null)).toBe(false)
  if (!own.includes(address)) expect(isAllowed(address, '127.0.0.1')).toBe(false)
})

test.each(['8.8.8.8', '2606:4700::1111'])('allows the public address %s', (address) => {
  for (const sender of ['203.0.113.9', '10.0.0.77', null]) expect(isAllowed(address, sender)).toBe(true)
})

test('allows a private address only from the sender that has it', () => {
  expect(isAllowed('10.0.0.77', '10.0.0.77')).toBe(true)
  expect(isAllowed('::ffff:10.0.0.77', '10.0.0.77')).toBe(true)
  expect(isAllowed('10.0.0.78', '10.0.0.77')).toBe(false)
})

test('allows loopback and the addresses of this machine only from this machine', () => {
  for (const address of ['127.0.0.1', '::1', ...own]) {
    expect(isAllowed(address, '127.0.0.1'), address).toBe(true)
    expect(isAllowed(address, '::1'), address).toBe(true)
  }
  for (const address of ['127.0.0.1', '::1'])
    for (const sender of ['10.0.0.77', '8.8.8.8', null]) expect(isAllowed(address, sender)).toBe(false)
})

test('allows an mDNS name only from a private network, and no other name', () => {
  expect(isAllowed(HIDDEN, '10.0.0.77')).toBe(true)
  expect(isAllowed(HIDDEN, '127.0.0.1')).toBe(true)
  expect(isAllowed(HIDDEN, '8.8.8.8')).toBe(false)
  expect(isAllowed(HIDDEN, null)).toBe(false)
  for (const name of ['printer.local', 'localhost', 'intranet.example', '0x7f.1', '2130706433', '127.1', `${HIDDEN}.`])
    expect(isAllowed(name, '127.0.0.1'), name).toBe(false)
})

test.each([
  ['TCP', 'candidate:1 1 tcp 1 8.8.8.8 443 typ host tcptype passive'],
  ['a second line and another address', `${line('8.8.8.8')}\r\na=candidate:1 1 udp 1 10.0.0.5 1 typ host\0`],
  ['a missing address', 'candidate:1 1 udp 1  50000 typ host'],
  ['an unknown type', 'candidate:1 1 udp 1 8.8.8.8 1 typ home'],
  ['another SDP attribute', 'a=setup:active'],
])('drops a candidate with %s', (_description, text) => {
  expect(filterSignal(candidate(text), '8.8.8.8')).toBeNull()
})

test('forwards a candidate in the normalised form that was checked', () => {
  const spread = line('8.8.8.8').replaceAll(' ', ' \t ')
  expect(filterSignal(candidate(`  ${spread}\n`), null)).toEqual(candidate(line('8.8.8.8')))
  expect(filterSignal(candidate(''), null)).toEqual(candidate(''))
})

test('removes every address from a description that is not allowed in a candidate', () => {
  const sdp = [
    'v=0',
    'o=- 46 2 IN IP4 127.0.0.1',
    's=-',
    'm=audio 50000 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 10.0.0.5',
    'a=rtcp:50001 IN IP4 10.0.0.5',
    `a=${line('10.0.0.5')}`,
    `a=${line('8.8.8.8')}`,
    ` A=CANDIDATE:1 1 UDP 1 192.168.1.1 1 TYP host`,
    'a=remote-candidates:1 10.0.0.5 50000',
    'a=ice-ufrag:abcd',
    '',
  ]
  const expected = [
    ...['v=0', 'o=- 46 2 IN IP4 127.0.0.1', 's=-', 'm=audio 50000 UDP/TLS/RTP/SAVPF 111'],
    ...['c=IN IP4 0.0.0.0', 'a=rtcp:9 IN IP4 0.0.0.0', `a=${line('8.8.8.8')}`, 'a=ice-ufrag:abcd', ''],
  ].join('\r\n')
  for (const ending of ['\r\n', '\n', '\r'])
    expect(filterSignal({ description: { type: 'offer', sdp: sdp.join(ending) } }, '8.8.4.4')).toEqual({
      description: { type: 'offer', sdp: expected },
    })
})
