import { expect, test } from 'vitest'
import { type Occupant, PLACES, placeFor } from './places.ts'

const held = (count: number, more: (index: number) => Partial<Occupant> & { seated?: boolean }) =>
  Array.from({ length: count }, (_, index) => {
    const { seated = true, ...facts } = more(index)
    return { network: `192.0.2.${index}`, isBot: false, isSeated: () => seated, ...facts }
  })
const stranger = { network: '198.51.100.1', isBot: false }
const bot = { network: '198.51.100.1', isBot: true }

test('a bot gets in however many strangers there are, also from its own address', () => {
  const strangers = held(PLACES.strangers, () => ({ network: bot.network }))
  expect(placeFor(bot, strangers)).toEqual({ kind: 'welcome' })
  expect(placeFor(stranger, strangers)).toMatchObject({ kind: 'refused' })
})

test('an address has a limit, and a tighter one for sockets without a seat', () => {
  const { network } = stranger
  const seats = (count: number) => held(count, () => ({ network }))
  const idle = (count: number) => held(count, () => ({ network, seated: false }))
  expect(placeFor(stranger, seats(PLACES.perAddress - 1))).toEqual({ kind: 'welcome' })
  expect(placeFor(stranger, seats(PLACES.perAddress))).toEqual({ kind: 'refused', status: '429 Too Many Requests' })
  expect(placeFor(stranger, idle(PLACES.unseatedPerAddress))).toEqual({ kind: 'refused', status: '429 Too Many Requests' })
  expect(placeFor({ ...stranger, network: 'another' }, idle(PLACES.unseatedPerAddress))).toEqual({ kind: 'welcome' })
})

test('sockets without a seat give way to newer ones, oldest first; seats do not', () => {
  const idle = held(PLACES.unseated, () => ({ seated: false }))
  expect(placeFor(stranger, idle)).toEqual({ kind: 'instead', of: idle[0] })
  const full = held(PLACES.strangers, () => ({}))
  expect(placeFor(stranger, full)).toEqual({ kind: 'refused', status: '503 Service Unavailable' })
  const almost = [...full.slice(1), ...idle.slice(0, 1)]
  expect(placeFor(stranger, almost)).toEqual({ kind: 'instead', of: idle[0] })
})

test('bots are not counted among strangers, and have a limit of their own', () => {
  const bots = held(PLACES.bots, () => ({ network: stranger.network, isBot: true }))
  expect(placeFor(stranger, bots)).toEqual({ kind: 'welcome' })
  expect(placeFor(bot, bots)).toMatchObject({ kind: 'refused' })
})
