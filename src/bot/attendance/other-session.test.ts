import { expect, test } from 'vitest'
import type { MeetingEvent, Participant } from '../../domain/meeting.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import { createOtherSession } from './other-session.ts'

const START = 1_000_000
const person = (id: string, name = id): Participant => ({ id, name, isHost: false, microphoneOn: true, cameraOn: false })
const people = (...others: readonly Participant[]): MeetingEvent => ({ kind: 'people', others, at: START })

function bench(name = 'Note taker') {
  const clock = { ms: START }
  const seen: string[] = []
  const other = createOtherSession({ name, now: () => clock.ms, onSeen: (id) => seen.push(id) })
  /** The events as a session sees them. */
  async function shown(...events: readonly MeetingEvent[]): Promise<readonly MeetingEvent[]> {
    async function* given() {
      yield* events
    }
    const passed: MeetingEvent[] = []
    for await (const event of other.hideFrom({ events: given } as unknown as MeetingDriver).events()) passed.push(event)
    return passed
  }
  return { clock, seen, other, shown }
}

test('hides a participant with the bot’s name who comes after it was expected', async () => {
  const { seen, other, shown } = bench()
  other.expect([person('ada')])
  expect(await shown(people(person('ada'), person('twin', 'Note taker ')))).toEqual([people(person('ada'))])
  expect(seen).toEqual(['twin'])
  expect([other.has('twin'), other.has('ada'), other.has(null)]).toEqual([true, false, false])
})

test('shows participants with the bot’s name who were there before', async () => {
  const { seen, other, shown } = bench()
  const namesake = person('namesake', 'Note taker')
  other.expect([namesake])
  expect(await shown(people(namesake))).toEqual([people(namesake)])
  expect(seen).toEqual([])
})

test('shows participants with the bot’s name where no other session is expected, or not any more', async () => {
  const { clock, other, shown } = bench()
  const namesake = person('namesake', 'Note taker')
  expect(await shown(people(namesake))).toEqual([people(namesake)])
  other.expect([])
  clock.ms += 120_001
  expect(await shown(people(namesake))).toEqual([people(namesake)])
})

test('goes on hiding the other session that it has seen', async () => {
  const { clock, seen, other, shown } = bench()
  other.expect([])
  await shown(people(person('twin', 'Note taker')))
  clock.ms += 600_000
  expect(await shown(people(person('twin', 'Note taker'), person('ben')))).toEqual([people(person('ben'))])
  expect(seen).toEqual(['twin'])
})

test('drops what the other session says and writes, and keeps who owns its tracks', async () => {
  const { other, shown } = bench()
  other.expect([])
  const chat = (from: string): MeetingEvent => ({ kind: 'chat', from, name: from, text: 'Hello', at: START })
  const voice = (...speakers: readonly string[]): MeetingEvent => ({ kind: 'voice', speakers, at: START })
  const track = { kind: 'track', id: 'media' } as const
  const tracks: MeetingEvent = { kind: 'tracks', tracks: [{ track, participantId: 'twin', kind: 'camera' }], at: START }
  const events = await shown(people(person('twin', 'Note taker')), chat('twin'), chat('ada'), voice('twin', 'ada'), tracks)
  expect(events).toEqual([people(), chat('ada'), voice('ada'), tracks])
})
