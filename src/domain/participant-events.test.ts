import { expect, test } from 'vitest'
import type { Participant } from './meeting.ts'
import { participantEvents } from './participant-events.ts'

const person = (id: string, change: Partial<Participant> = {}): Participant => ({
  id,
  name: id,
  isHost: false,
  microphoneOn: false,
  cameraOn: false,
  ...change,
})
const [ada, ben, cleo] = [person('ada'), person('ben'), person('cleo')]
const events = (before: readonly Participant[], after: readonly Participant[]) =>
  participantEvents(before, after).map(({ action, participant }) => `${action} ${participant.id}`)

test('reports every participant as joined after an empty snapshot', () => {
  expect(events([], [ben, ada])).toEqual(['join ben', 'join ada'])
})

test('reports nothing for unchanged participants', () => {
  expect(events([ada, ben], [{ ...ben }, { ...ada }])).toEqual([])
})

test('reports leaves before updates, and updates before joins', () => {
  const muted = person('ben', { microphoneOn: true })
  expect(events([ada, ben], [cleo, muted])).toEqual(['leave ada', 'update ben', 'join cleo'])
})

test.each<Partial<Participant>>([{ microphoneOn: true }, { cameraOn: true }, { name: 'Ada L.' }, { isHost: true }])(
  'reports %j as an update with the current state of the participant',
  (change) => {
    expect(participantEvents([ada], [person('ada', change)])).toEqual([{ action: 'update', participant: person('ada', change) }])
  },
)

test('reports a participant that is listed twice once, by the last row', () => {
  expect(participantEvents([], [ada, person('ada', { name: 'Ada L.' })])).toEqual([
    { action: 'join', participant: person('ada', { name: 'Ada L.' }) },
  ])
})
