// A bot that is moved between breakout rooms, by looks at a page.
import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../domain/meeting.ts'
import { factsOf } from './facts.ts'
import type { ReportedRoom } from './meeting-client.ts'
import type { RoomRules } from './page-rules.ts'
import { followRooms } from './rooms.ts'

const RULES: RoomRules = {
  inside: { present: ['back'] },
  name: 'h1',
  besides: [' | Site'],
  follow: ['joinRoom'],
  invitations: ['you are invited to room:'],
}

function bench({ works = true }: { readonly works?: boolean } = {}) {
  const events: MeetingEvent[] = []
  const pressed: string[] = []
  let current: ReportedRoom | null = null
  let now = 0
  const follow = followRooms({
    pageRules: { rooms: RULES, sentences: {} },
    reported: () => current,
    emit: (event) => events.push(event),
    now: () => now,
    async press(control) {
      pressed.push(control)
      return works
    },
  })
  return {
    pressed,
    events,
    moves: () => events.flatMap((it) => (it.kind === 'room' ? [`${it.name} at ${it.at}`] : [])),
    at(atMs: number) {
      now = atMs
    },
    rooms: () => events.flatMap((it) => (it.kind === 'room' ? [it.name] : [])),
    report(name: string | null) {
      current = { name, sinceMs: now }
    },
    look: (shown: { readonly text?: string; readonly visible?: readonly string[]; readonly room?: string }, isInside = true) =>
      follow(factsOf({ ...shown, present: shown.visible ?? [] }, 'https://x.example'), isInside),
  }
}

test('reports the way into a breakout room, into the next and back, once each', async () => {
  const it = bench()
  await it.look({ room: 'Weekly | Site' })
  for (const room of ['Red | Site', 'Red | Site', 'Blue | Site']) await it.look({ visible: ['back'], room })
  await it.look({ room: 'Joining' }, false)
  await it.look({ room: 'Weekly | Site' })
  expect(it.rooms()).toEqual(['Red', 'Blue', null])
  await it.look({ visible: ['back'] })
  expect(it.rooms().at(-1), 'the page names it nowhere').toBe('Breakout room')
  await it.look({ room: 'Weekly | Site' })
  await it.look({ visible: ['back'], room: 'Weekly | Site' })
  expect(it.rooms().slice(-2), 'it goes on showing the title of the meeting').toEqual([null, 'Breakout room'])
})

test('believes the platform about a room that the page shows only by its name', async () => {
  const it = bench()
  await it.look({ room: 'Weekly | Site' })
  it.report('')
  await it.look({ room: 'Weekly | Site' })
  expect(it.rooms(), 'another call under the same title is the same meeting').toEqual([])
  await it.look({ room: 'Red | Site' })
  it.report('Blue')
  await it.look({ room: 'Red | Site' })
  it.report(null)
  await it.look({ room: 'Weekly | Site' })
  expect(it.rooms()).toEqual(['Red', 'Blue', null])
})

test('says once that it cannot follow where the button has no effect, and tries again at the next invitation', async () => {
  const it = bench()
  for (let looks = 0; looks < 30; looks++) await it.look({ visible: ['joinRoom'] })
  expect(it.pressed).toHaveLength(5)
  expect(it.events).toMatchObject([{ kind: 'problem', step: 'breakout room', message: expect.stringContaining('could not') }])
  await it.look({})
  await it.look({ visible: ['joinRoom'] })
  expect(it.pressed).toHaveLength(6)
})

test('has the name of a room from its invitation where the page shows none', async () => {
  const it = bench()
  await it.look({ text: 'Weekly review\nYou are invited to room: Red Team\nJoin', visible: ['joinRoom'] })
  await it.look({ text: 'Mute', visible: ['back'] })
  expect(it.rooms()).toEqual(['Red Team'])
})

test('dates a move by the platform’s report, which a later look confirms', async () => {
  const it = bench()
  it.at(1_000)
  await it.look({ room: 'Weekly | Site' })
  it.at(1_900)
  it.report('')
  it.at(2_000)
  await it.look({ room: 'Weekly | Site' })
  it.at(3_000)
  await it.look({ room: 'Red | Site' })
  expect(it.moves()).toEqual(['Red at 1900'])
})

test('does not date the way back by the report of the way in', async () => {
  const it = bench()
  it.at(1_000)
  await it.look({})
  it.at(2_000)
  await it.look({}, false)
  it.at(2_500)
  it.report('')
  for (const at of [3_000, 8_000]) {
    it.at(at)
    await it.look({ visible: ['back'] })
  }
  it.at(9_000)
  await it.look({})
  expect(it.moves()).toEqual(['Breakout room at 2000', 'null at 8000'])
})

test('dates a move by the page between two calls', async () => {
  const it = bench()
  await it.look({})
  it.at(1_000)
  await it.look({}, false)
  it.at(4_000)
  await it.look({}, false)
  it.at(5_000)
  await it.look({ visible: ['back'] })
  expect(it.moves()).toEqual(['Breakout room at 1000'])
})

test('dates a move by the last look before it where nothing else shows it', async () => {
  const it = bench()
  it.report(null)
  it.at(60_000)
  await it.look({})
  it.at(61_000)
  await it.look({ visible: ['back'] })
  expect(it.moves()).toEqual(['Breakout room at 60000'])
})

test.each([
  ['back in the meeting', {}, true],
  ['between two rooms', {}, false],
] as const)('does not name a room by an earlier invitation once the bot was %s', async (_where, shown, isInside) => {
  const it = bench()
  await it.look({ text: 'You are invited to room: Red Team' })
  await it.look({ visible: ['back'] })
  await it.look(shown, isInside)
  await it.look({ visible: ['back'] })
  expect(it.rooms().at(-1)).toBe('Breakout room')
})

test('keeps the name of the next room from the beginning of the move', async () => {
  const it = bench()
  await it.look({ text: 'You are invited to room: Red Team' })
  await it.look({ visible: ['back'] })
  await it.look({ text: 'You are invited to room: Blue Team' }, false)
  await it.look({}, false)
  await it.look({ visible: ['back'] })
  expect(it.rooms()).toEqual(['Red Team', 'Blue Team'])
})
