import { expect, test } from 'vitest'
import { type CountedSocket, decideSocket, SOCKET_LIMITS } from './socket-limits.ts'

const held = (count: number, more: (index: number) => Partial<CountedSocket> & { seated?: boolean }) =>
  Array.from({ length: count }, (_, index) => {
    const { seated = true, ...facts } = more(index)
    return { network: `192.0.2.${index}`, isBot: false, isSeated: () => seated, ...facts }
  })
const guest = { network: '198.51.100.1', isBot: false }
const bot = { network: '198.51.100.1', isBot: true }

test('accepts a bot regardless of the number of guests, also from the same address', () => {
  const guests = held(SOCKET_LIMITS.guests, () => ({ network: bot.network }))
  expect(decideSocket(bot, guests)).toEqual({ kind: 'accept' })
  expect(decideSocket(guest, guests)).toMatchObject({ kind: 'refused' })
})

test('limits the sockets of an address, and more tightly those without a seat', () => {
  const { network } = guest
  const seats = (count: number) => held(count, () => ({ network }))
  const idle = (count: number) => held(count, () => ({ network, seated: false }))
  expect(decideSocket(guest, seats(SOCKET_LIMITS.perAddress - 1))).toEqual({ kind: 'accept' })
  expect(decideSocket(guest, seats(SOCKET_LIMITS.perAddress))).toEqual({ kind: 'refused', status: '429 Too Many Requests' })
  expect(decideSocket(guest, idle(SOCKET_LIMITS.unseatedPerAddress))).toEqual({ kind: 'refused', status: '429 Too Many Requests' })
  expect(decideSocket({ ...guest, network: 'another' }, idle(SOCKET_LIMITS.unseatedPerAddress))).toEqual({ kind: 'accept' })
})

test('replaces the oldest socket without a seat and never one with a seat', () => {
  const idle = held(SOCKET_LIMITS.unseated, () => ({ seated: false }))
  expect(decideSocket(guest, idle)).toEqual({ kind: 'replace', of: idle[0] })
  const full = held(SOCKET_LIMITS.guests, () => ({}))
  expect(decideSocket(guest, full)).toEqual({ kind: 'refused', status: '503 Service Unavailable' })
  const almost = [...full.slice(1), ...idle.slice(0, 1)]
  expect(decideSocket(guest, almost)).toEqual({ kind: 'replace', of: idle[0] })
})

test('counts bots separately from guests and limits them', () => {
  const bots = held(SOCKET_LIMITS.bots, () => ({ network: guest.network, isBot: true }))
  expect(decideSocket(guest, bots)).toEqual({ kind: 'accept' })
  expect(decideSocket(bot, bots)).toMatchObject({ kind: 'refused' })
})
