// Invariants of a room under any sequence of actions.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Action, applyAction, EMPTY_ROOM, type Envelope, hostOf, type Room } from './room.ts'
import { LIMITS } from './wire.ts'

const SILENT = { microphone: false, camera: false, screen: false }
const ids = Array.from({ length: 12 }, (_, index) => `p${index}`)
const anyone = fc.constantFrom(...ids)
const actions = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      person: anyone,
      token: fc.string(),
      name: fc.string(),
      bot: fc.boolean(),
      own: fc.boolean(),
      lobby: fc.boolean(),
      media: fc.constant(SILENT),
      at: fc.nat(),
    }),
  },
  fc.record({ kind: fc.constantFrom('resume' as const, 'leave' as const, 'end' as const), person: anyone, at: fc.nat() }),
  fc.record({ kind: fc.constant('drop' as const), person: anyone, at: fc.nat(50_000) }),
  fc.record({ kind: fc.constant('tick' as const), at: fc.nat(50_000) }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('admit' as const, 'refuse' as const, 'remove' as const),
      person: anyone,
      whom: anyone,
      at: fc.nat(),
    }),
  },
  fc.record({ kind: fc.constant('chat' as const), person: anyone, text: fc.string(), at: fc.nat() }),
  fc.record({
    kind: fc.constant('signal' as const),
    person: anyone,
    to: anyone,
    at: fc.nat(),
    signal: fc.constant({ description: { type: 'offer' as const, sdp: '' } }),
  }),
)

test('keeps its invariants under any sequence of actions', () => {
  fc.assert(
    fc.property(fc.array(actions, { maxLength: 60 }), (sequence) => {
      let room: Room = EMPTY_ROOM
      for (const action of sequence as readonly Action[]) {
        // The server gives each id only once.
        if (action.kind === 'join' && room.people.some((it) => it.id === action.person)) continue
        const before = room
        const { room: after, messages } = applyAction(room, action)
        room = after
        judge(before, after, messages, action)
      }
    }),
    { numRuns: 500 },
  )
})

function judge(before: Room, after: Room, messages: readonly Envelope[], action: Action): void {
  const inside = after.people.filter((it) => it.place === 'inside')
  expect(inside.length).toBeLessThanOrEqual(LIMITS.inside + LIMITS.keptForBots)
  expect(after.people.length - inside.length).toBeLessThanOrEqual(LIMITS.waiting + LIMITS.keptForBots)
  expect(new Set(after.people.map((it) => it.id)).size).toBe(after.people.length)
  expect(hostOf(after) === undefined).toBe(inside.length === 0)

  const known = new Set([...before.people, ...after.people].map((it) => it.id))
  if ('person' in action) known.add(action.person)
  for (const { to, message } of messages) {
    expect(known).toContain(to)
    if (message.kind !== 'roster') continue
    expect(message.people.filter((it) => it.host)).toHaveLength(1)
    expect(message.waiting.length === 0 || hostOf(after)?.id === to).toBe(true)
  }
  // A person who left got an `over` message, and a person who stays got none.
  const gone = before.people.filter((it) => !after.people.some(({ id }) => id === it.id)).map((it) => it.id)
  const ended = messages.filter((it) => it.message.kind === 'over').map((it) => it.to)
  for (const id of gone) expect(ended).toContain(id)
  for (const { id } of after.people) expect(ended).not.toContain(id)
  // Only people inside get signals and chat.
  for (const { to, message } of messages) {
    if (message.kind === 'signal' || message.kind === 'chat') expect(inside.map(({ id }) => id)).toContain(to)
  }
}
