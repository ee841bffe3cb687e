import { expect, test } from 'vitest'
import { type Action, applyAction, cleanName, EMPTY_ROOM, type Envelope, hostOf, type Room, seatOf } from './room.ts'
import { LIMITS, type PersonView, type ServerMessage } from './wire.ts'

const SILENT = { microphone: false, camera: false, screen: false }

/** A room that keeps all sent messages. */
function bench() {
  let room: Room = EMPTY_ROOM
  const messages: Envelope[] = []
  let clock = 0
  const step = (action: Action): readonly Envelope[] => {
    const next = applyAction(room, action)
    room = next.room
    messages.push(...next.messages)
    return next.messages
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
    sentTo: <Kind extends ServerMessage['kind']>(person: string, kind: Kind) =>
      messages
        .filter((it) => it.to === person)
        .flatMap(({ message }) => (message.kind === kind ? [message as Extract<ServerMessage, { kind: Kind }>] : [])),
  }
}

const namesOf = (people: readonly PersonView[] | undefined) => people?.map(({ name, host }) => (host ? `${name} (host)` : name))

test('makes the first person host and sends the roster to everyone', () => {
  const { join, sentTo } = bench()
  join('Ada')
  join('Ben')
  join('Cy')
  for (const person of ['Ada', 'Ben', 'Cy']) expect(namesOf(sentTo(person, 'roster').at(-1)?.people)).toEqual(['Ada (host)', 'Ben', 'Cy'])
  expect(sentTo('Ben', 'entered')).toEqual([{ kind: 'entered', you: 'Ben', token: 'token of Ben', chat: [] }])
})

test('makes the longest present person host when the host leaves, and a bot only without humans', () => {
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

test('lets people wait in a lobby until the host admits or refuses them', () => {
  const { join, step, sentTo } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  join('Cy', { bot: true })
  expect(sentTo('Ben', 'waiting')).toHaveLength(1)
  expect(
    sentTo('Ada', 'roster')
      .at(-1)
      ?.waiting.map((it) => it.name),
  ).toEqual(['Ben', 'Cy'])

  expect(step({ kind: 'admit', person: 'Ben', whom: 'Ben', at: 9 })).toMatchObject([{ to: 'Ben', message: { problem: 'not_host' } }])
  step({ kind: 'admit', person: 'Ada', whom: 'Ben', at: 9 })
  step({ kind: 'refuse', person: 'Ada', whom: 'Cy', at: 9 })
  expect(namesOf(sentTo('Ben', 'roster').at(-1)?.people)).toEqual(['Ada (host)', 'Ben'])
  expect(sentTo('Ben', 'roster').at(-1)?.waiting).toEqual([])
  expect(sentTo('Cy', 'over')).toEqual([{ kind: 'over', reason: 'refused' }])
})

test('turns the lobby on only for the first person', () => {
  const { join, sentTo } = bench()
  join('Ada')
  join('Ben', { lobby: true })
  join('Cy')
  expect(sentTo('Cy', 'entered')).toHaveLength(1)
})

test('refuses a ninth person and reports a full room to a host who admits one', () => {
  const { join, step, sentTo } = bench()
  join('host', { lobby: true })
  for (let guest = 2; guest <= 9; guest++) join(`${guest}`)
  for (let guest = 2; guest <= 8; guest++) step({ kind: 'admit', person: 'host', whom: `${guest}`, at: 9 })
  step({ kind: 'admit', person: 'host', whom: '9', at: 9 })
  expect(sentTo('host', 'problem')).toMatchObject([{ problem: 'room_full' }])

  const open = bench()
  for (let guest = 1; guest <= 9; guest++) open.join(`${guest}`)
  expect(open.sentTo('9', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
  expect(open.room().people).toHaveLength(8)
})

test('accepts an own bot in a room full of people, but not a program that only claims to be a bot', () => {
  const { join, sentTo, room } = bench()
  for (let guest = 1; guest <= 8; guest++) join(`${guest}`)
  join('claims', { bot: true })
  expect(sentTo('claims', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
  join('ours', { bot: true, own: true })
  expect(room().people.map((it) => it.id)).toContain('ours')
  join('second', { bot: true, own: true })
  expect(sentTo('second', 'over')).toEqual([{ kind: 'over', reason: 'full' }])
})

test('lets an own bot wait and be admitted where the lobby and the room are full of people', () => {
  const { join, step, sentTo } = bench()
  join('host', { lobby: true })
  for (let guest = 2; guest <= 8; guest++) {
    join(`${guest}`)
    step({ kind: 'admit', person: 'host', whom: `${guest}`, at: 9 })
  }
  for (let guest = 1; guest <= 20; guest++) join(`waiting ${guest}`)
  join('ours', { bot: true, own: true })
  step({ kind: 'admit', person: 'host', whom: 'ours', at: 9 })
  expect(sentTo('ours', 'entered')).toHaveLength(1)
})

test('lets the host remove a person and end the meeting for all, also for those who wait', () => {
  const { join, step, sentTo, room } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  join('Cy')
  step({ kind: 'admit', person: 'Ada', whom: 'Ben', at: 9 })
  expect(step({ kind: 'end', person: 'Ben', at: 9 })).toMatchObject([{ to: 'Ben', message: { problem: 'not_host' } }])
  step({ kind: 'remove', person: 'Ada', whom: 'Ben', at: 9 })
  step({ kind: 'end', person: 'Ada', at: 9 })
  const endings = ['Ada', 'Ben', 'Cy'].map((it) => sentTo(it, 'over').map(({ reason }) => reason))
  expect(endings).toEqual([['ended'], ['removed'], ['ended']])
  expect(room().people).toEqual([])
})

test('keeps the seat of a dropped connection for 15 seconds', () => {
  const { join, step, room, sentTo } = bench()
  join('Ada')
  join('Ben')
  step({ kind: 'drop', person: 'Ben', at: 1_000 })
  step({ kind: 'tick', at: 15_999 })
  expect(
    sentTo('Ada', 'roster')
      .at(-1)
      ?.people.map((it) => it.connected),
  ).toEqual([true, false])
  expect(seatOf(room(), 'token of Ben')).toBe('Ben')

  step({ kind: 'resume', person: 'Ben', at: 9 })
  expect(
    sentTo('Ada', 'roster')
      .at(-1)
      ?.people.map((it) => it.connected),
  ).toEqual([true, true])
  step({ kind: 'drop', person: 'Ben', at: 20_000 })
  step({ kind: 'tick', at: 35_000 })
  expect(seatOf(room(), 'token of Ben')).toBeUndefined()
})

test('sends the last 200 chat lines to late joiners and none to the next meeting', () => {
  const { join, step, sentTo } = bench()
  join('Ada')
  for (let line = 1; line <= 210; line++) step({ kind: 'chat', person: 'Ada', text: `line ${line}`, at: line * 1_000 })
  join('Ben')
  const history = sentTo('Ben', 'entered')[0]?.chat ?? []
  expect([history.length, history[0]?.text, history.at(-1)?.text]).toEqual([200, 'line 11', 'line 210'])

  for (const person of ['Ada', 'Ben']) step({ kind: 'leave', person, at: 9 })
  join('Cy')
  expect(sentTo('Cy', 'entered')[0]?.chat).toEqual([])
})

test('limits the chat rate and refuses chat from the waiting room', () => {
  const { join, step, sentTo } = bench()
  join('Ada', { lobby: true })
  join('Ben')
  for (let line = 0; line < 100; line++) step({ kind: 'chat', person: 'Ada', text: 'spam', at: 5 })
  expect(sentTo('Ada', 'chat')).toHaveLength(15)
  expect(sentTo('Ada', 'problem').at(-1)?.problem).toBe('too_fast')
  step({ kind: 'chat', person: 'Ben', text: 'let me in', at: 6 })
  expect(sentTo('Ben', 'problem').at(-1)?.problem).toBe('not_inside')
  step({ kind: 'chat', person: 'Ada', text: 'x'.repeat(LIMITS.chatLength + 1), at: 60_000 })
  expect(sentTo('Ada', 'problem').at(-1)?.problem).toBe('bad_chat')
})

test('removes control characters from names and rejects invalid ones', () => {
  expect(cleanName('  Ada \u0000\n Lovelace\u202e ')).toBe('Ada Lovelace')
  expect(cleanName('\u0007\u2028 ')).toBeNull()
  expect(cleanName('🦊'.repeat(100))).toBe('🦊'.repeat(100))
  expect(cleanName('x'.repeat(101))).toBeNull()
  const { join, sentTo } = bench()
  join('Ada', { name: ' ' })
  expect(sentTo('Ada', 'problem')).toMatchObject([{ problem: 'bad_name' }])
})
