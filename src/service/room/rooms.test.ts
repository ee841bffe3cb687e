import { expect, test } from 'vitest'
import { type Action, act, cleanName, EMPTY_ROOM, hostOf, type Room, seatOf, type Telling } from './rooms.ts'
import { LIMITS, type PersonView, type ServerMessage } from './wire.ts'

const SILENT = { microphone: false, camera: false, screen: false }

/** A room that remembers what everyone was told. */
function bench() {
  let room: Room = EMPTY_ROOM
  const told: Telling[] = []
  let clock = 0
  const step = (action: Action): readonly Telling[] => {
    const next = act(room, action)
    room = next.room
    told.push(...next.told)
    return next.told
  }
  return {
    step,
    room: () => room,
    join: (person: string, more: { lobby?: boolean; bot?: boolean; own?: boolean; name?: string } = {}) =>
      step({
        kind: 'join',
        person,
        token: `token of ${person}`,
        name: person,
        bot: false,
        own: false,
        lobby: false,
        media: SILENT,
        at: ++clock,
        ...more,
      }),
    heardBy: <Kind extends ServerMessage['kind']>(person: string, kind: Kind) =>
      told
        .filter((it) => it.to === person)
        .flatMap(({ message }) => (message.kind === kind ? [message as Extract<ServerMessage, { kind: Kind }>] : [])),
  }
}

const namesOf = (people: readonly PersonView[] | undefined) => people?.map(({ name, host }) => (host ? `${name} (host)` : name))

test('the first one is host, and everyone is told of everyone', () => {
  const { join, heardBy } = bench()
  join('Ada')
  join('Ben')
  join('Cy')
  for (const person of ['Ada', 'Ben', 'Cy']) expect(namesOf(heardBy(person, 'roster').at(-1)?.people)).toEqual(['Ada (host)', 'Ben', 'Cy'])
  expect(heardBy('Ben', 'entered')).toEqual([{ kind: 'entered', you: 'Ben', token: 'token of Ben', chat: [] }])
})

test('when the host leaves, the longest present is host; a bot only when no human is left', () => {
  const { join, step, room } = bench()
  join('Robot', { bot: true })
  expect(hostOf(room())?.id).toBe('Robot')
  join('Ada')
  join('Ben')
  expect(hostOf(room())?.id).toBe('Ada')
  step({ kind: 'leave', person: 'Ada', at: 9 })
  expect(hostOf(room())?.id).toBe('Ben')
  step({ kind: 'leave', person: 'Ben', at: 9 })
  expect(hostOf(room())?.id).toBe('Robot')
})

test('in a lobby room others wait until the host admits or refuses them', () => {
  const { join, step, heardBy } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  join('Cy', { bot: true })
  expect(heardBy('Ben', 'waiting')).toHaveLength(1)
  expect(
    heardBy('Ada', 'roster')
      .at(-1)
      ?.waiting.map((it) => it.name),
  ).toEqual(['Ben', 'Cy'])

  expect(step({ kind: 'admit', person: 'Ben', whom: 'Ben', at: 9 })).toMatchObject([{ to: 'Ben', message: { problem: 'not_host' } }])
  step({ kind: 'admit', person: 'Ada', whom: 'Ben', at: 9 })
  step({ kind: 'refuse', person: 'Ada', whom: 'Cy', at: 9 })
  expect(namesOf(heardBy('Ben', 'roster').at(-1)?.people)).toEqual(['Ada (host)', 'Ben'])
  expect(heardBy('Ben', 'roster').at(-1)?.waiting).toEqual([])
  expect(heardBy('Cy', 'over')).toEqual([{ kind: 'over', reason: 'refused' }])
})

test('only the first person turns the lobby on', () => {
  const { join, heardBy } = bench()
  join('Ada')
  join('Ben', { lobby: true })
  join('Cy')
  expect(heardBy('Cy', 'entered')).toHaveLength(1)
})

test('the ninth is told that the meeting is full, and so is a host who admits a ninth', () => {
  const { join, step, heardBy } = bench()
  join('host', { lobby: true })
  for (let guest = 2; guest <= 9; guest++) join(`${guest}`)
  for (let guest = 2; guest <= 8; guest++) step({ kind: 'admit', person: 'host', whom: `${guest}`, at: 9 })
  step({ kind: 'admit', person: 'host', whom: '9', at: 9 })
  expect(heardBy('host', 'problem')).toMatchObject([{ problem: 'room_full' }])

  const open = bench()
  for (let guest = 1; guest <= 9; guest++) open.join(`${guest}`)
  expect(open.heardBy('9', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
  expect(open.room().people).toHaveLength(8)
})

test('a bot of this service takes a ninth place in a room that people have filled, and a program that only says it is a bot does not', () => {
  const { join, heardBy, room } = bench()
  for (let guest = 1; guest <= 8; guest++) join(`${guest}`)
  join('claims', { bot: true })
  expect(heardBy('claims', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
  join('ours', { bot: true, own: true })
  expect(room().people.map((it) => it.id)).toContain('ours')
  join('second', { bot: true, own: true })
  expect(heardBy('second', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
})

test('a bot of this service waits, and is admitted, where people have filled the lobby and the room', () => {
  const { join, step, heardBy } = bench()
  join('host', { lobby: true })
  for (let guest = 2; guest <= 8; guest++) {
    join(`${guest}`)
    step({ kind: 'admit', person: 'host', whom: `${guest}`, at: 9 })
  }
  for (let guest = 1; guest <= 20; guest++) join(`waiting ${guest}`)
  join('ours', { bot: true, own: true })
  step({ kind: 'admit', person: 'host', whom: 'ours', at: 9 })
  expect(heardBy('ours', 'entered')).toHaveLength(1)
})

test('the host removes someone, and ends the meeting for all, also for those who wait', () => {
  const { join, step, heardBy, room } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  join('Cy')
  step({ kind: 'admit', person: 'Ada', whom: 'Ben', at: 9 })
  expect(step({ kind: 'end', person: 'Ben', at: 9 })).toMatchObject([{ to: 'Ben', message: { problem: 'not_host' } }])
  step({ kind: 'remove', person: 'Ada', whom: 'Ben', at: 9 })
  step({ kind: 'end', person: 'Ada', at: 9 })
  const endings = ['Ada', 'Ben', 'Cy'].map((it) => heardBy(it, 'over').map(({ reason }) => reason))
  expect(endings).toEqual([['ended'], ['removed'], ['ended']])
  expect(room().people).toEqual([])
})

test('a dropped connection keeps its seat for 15 seconds', () => {
  const { join, step, room, heardBy } = bench()
  join('Ada')
  join('Ben')
  step({ kind: 'drop', person: 'Ben', at: 1_000 })
  step({ kind: 'tick', at: 15_999 })
  expect(
    heardBy('Ada', 'roster')
      .at(-1)
      ?.people.map((it) => it.connected),
  ).toEqual([true, false])
  expect(seatOf(room(), 'token of Ben')).toBe('Ben')

  step({ kind: 'resume', person: 'Ben', at: 9 })
  expect(
    heardBy('Ada', 'roster')
      .at(-1)
      ?.people.map((it) => it.connected),
  ).toEqual([true, true])
  step({ kind: 'drop', person: 'Ben', at: 20_000 })
  step({ kind: 'tick', at: 35_000 })
  expect(seatOf(room(), 'token of Ben')).toBeUndefined()
})

test('late joiners get the last 200 lines of the chat, the next meeting none', () => {
  const { join, step, heardBy } = bench()
  join('Ada')
  for (let line = 1; line <= 210; line++) step({ kind: 'chat', person: 'Ada', text: `line ${line}`, at: line * 1_000 })
  join('Ben')
  const history = heardBy('Ben', 'entered')[0]?.chat ?? []
  expect([history.length, history[0]?.text, history.at(-1)?.text]).toEqual([200, 'line 11', 'line 210'])

  for (const person of ['Ada', 'Ben']) step({ kind: 'leave', person, at: 9 })
  join('Cy')
  expect(heardBy('Cy', 'entered')[0]?.chat).toEqual([])
})

test('nobody floods the chat, and nobody writes from the waiting room', () => {
  const { join, step, heardBy } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  for (let line = 0; line < 100; line++) step({ kind: 'chat', person: 'Ada', text: 'spam', at: 5 })
  expect(heardBy('Ada', 'chat')).toHaveLength(15)
  expect(heardBy('Ada', 'problem').at(-1)?.problem).toBe('too_fast')
  step({ kind: 'chat', person: 'Ben', text: 'let me in', at: 6 })
  expect(heardBy('Ben', 'problem').at(-1)?.problem).toBe('not_inside')
  step({ kind: 'chat', person: 'Ada', text: 'x'.repeat(LIMITS.chatLength + 1), at: 60_000 })
  expect(heardBy('Ada', 'problem').at(-1)?.problem).toBe('bad_chat')
})

test('names are shown as they are meant, and no trick passes', () => {
  expect(cleanName('  Ada \u0000\n Lovelace\u202e ')).toBe('Ada Lovelace')
  expect(cleanName('\u0007\u2028 ')).toBeNull()
  expect(cleanName('🦊'.repeat(100))).toBe('🦊'.repeat(100))
  expect(cleanName('x'.repeat(101))).toBeNull()
  const { join, heardBy } = bench()
  join('Ada', { name: ' ' })
  expect(heardBy('Ada', 'problem')).toMatchObject([{ problem: 'bad_name' }])
})
