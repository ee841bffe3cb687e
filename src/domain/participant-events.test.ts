import { expect, test } from 'vitest'
import type { Participant } from './meeting.ts'
import { participantEvents } from './participant-events.ts'

const person = (id: string, change: Partial<Participant> = {}): Participant => ({
  ...{ id, name: id, isHost: false, microphoneOn: false, cameraOn: false },
  ...change,
})
const [ada, ben, cleo] = [person('ada'), person('ben'), person('cleo')]
const told = (before: readonly Participant[], after: readonly Participant[]) =>
  participantEvents(before, after).map(({ action, participant }) => `${action} ${participant.id}`)

test('everybody is new to somebody who comes in', () => {
  expect(told([], [ben, ada])).toEqual(['join ben', 'join ada'])
})

test('nothing is told of people who stay as they are', () => {
  expect(told([ada, ben], [{ ...ben }, { ...ada }])).toEqual([])
})

test('those who left come before those who changed, and these before those who came', () => {
  const muted = person('ben', { microphoneOn: true })
  expect(told([ada, ben], [cleo, muted])).toEqual(['leave ada', 'update ben', 'join cleo'])
})

test.each<Partial<Participant>>([{ microphoneOn: true }, { cameraOn: true }, { name: 'Ada L.' }, { isHost: true }])(
  '%j is an update, with the person as they are now',
  (change) => {
    expect(participantEvents([ada], [person('ada', change)])).toEqual([{ action: 'update', participant: person('ada', change) }])
  },
)

test('somebody who is shown twice comes once, as shown last', () => {
  expect(participantEvents([], [ada, person('ada', { name: 'Ada L.' })])).toEqual([
    { action: 'join', participant: person('ada', { name: 'Ada L.' }) },
  ])
})
