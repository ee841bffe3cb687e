// The rosters of many calls: which one is the bot's, and which ones are kept.
import { expect, test } from 'vitest'
import { Calls } from './calls.ts'

const people = (name: string) => ({ k1: { details: { id: `8:orgid:${name}`, displayName: name }, state: 'active' } })

test('keeps the meeting’s roster while the bot is in a breakout room, however many other calls leak in', () => {
  const calls = new Calls()
  calls.of('meeting').update(people('Ann'))
  calls.enter('meeting')
  calls.of('room').update(people('Ben'))
  calls.enter('room')
  for (let call = 0; call < 300; call++) calls.of(`other ${call}`).update(people('Eve'))
  expect(calls.ids.length).toBeLessThan(150)
  expect(calls.roster.ids).toEqual(['8:orgid:Ben'])
  expect([calls.isMeeting('meeting'), calls.isMeeting('room'), calls.isCurrent('room')]).toEqual([true, false, true])
  calls.enter('meeting')
  expect(calls.roster.ids).toEqual(['8:orgid:Ann'])
  expect(calls.isMeeting(calls.current)).toBe(true)
})

test('gives the people of frames without a call id to the call that the bot enters first', () => {
  const calls = new Calls()
  calls.of(null).update(people('Ann'))
  calls.enter('meeting')
  expect(calls.roster.ids).toEqual(['8:orgid:Ann'])
})
