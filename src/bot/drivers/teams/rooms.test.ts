// A bot in breakout rooms of Teams: each is a call of its own, whose roster replaces that of the meeting.
import { expect, test } from 'vitest'
import { ANN, audio, BOT, CALL, client, entry, namesIn, streamsIn } from '../../../../test/helpers/meetings/teams-messages.ts'

const ROOM = 'call-of-a-room'

test.each([
  ['its client names the call', { ownId: BOT, callId: CALL, muted: [] }],
  ['only its own entry shows the call', null],
] as const)('replaces the roster when the bot is moved to a breakout room and back, where %s', (_how, globals) => {
  const it = client(globals)
  it.roster({ k1: entry(ANN, 'Ann', [audio(1053)]), k2: entry(BOT, 'Notes') })
  for (let looks = 0; looks < 5; looks++) it.look()
  it.roster({ k1: entry('8:orgid:b', 'Ben', [audio(1053)]) }, ROOM)
  it.read({
    kind: 'snapshot',
    text: JSON.stringify({ participants: { k1: entry('8:orgid:b', 'Ben', [audio(1053)]), k2: entry(BOT, 'Notes') } }),
  })
  const there = [...it.roster({ k2: entry(BOT, 'Notes') }, ROOM), ...it.look(globals && { ...globals, callId: ROOM })]
  expect(namesIn(there)).toEqual(
    expect.arrayContaining([
      [null, 'left', false],
      ['Ben', 'here', false],
      ['Notes', 'here', true],
    ]),
  )
  expect(streamsIn(there)).toMatchObject([{ userId: '8:orgid:b', streamId: '1053' }])
  expect(it.roster({ k5: entry('8:orgid:c', 'Cy') }), 'somebody joins the meeting meanwhile').toEqual([])
  const back = [...it.roster({ k2: entry(BOT, 'Notes') }), ...it.look()]
  expect(namesIn(back)).toEqual(
    expect.arrayContaining([
      [null, 'left', false],
      ['Ann', 'here', false],
      ['Cy', 'here', false],
    ]),
  )
  expect(namesIn(back)).not.toContainEqual([expect.anything(), 'left', true])
  expect(streamsIn(back)).toMatchObject([{ userId: ANN, streamId: '1053' }])
})

test('keeps a full list that arrives before the move is seen, also after an answer without one', () => {
  const it = client()
  it.look()
  const list = { participants: { k1: entry('8:orgid:b', 'Ben', [audio(1053)]), k2: entry(BOT, 'Notes') } }
  for (const answer of [list, { participants: null }]) it.read({ kind: 'snapshot', text: JSON.stringify(answer) })
  expect(namesIn(it.look({ ownId: BOT, callId: ROOM, muted: [] }))).toContainEqual(['Ben', 'here', false])
})

test('takes neither the end of a breakout room nor the way into one for the end of the meeting', () => {
  const it = client()
  it.look()
  it.look({ ownId: BOT, callId: ROOM, muted: [] })
  const itself = { subCode: 0, sender: { id: BOT, displayName: 'Notes' } }
  expect([...it.end(itself), ...it.end(itself, ROOM), ...it.end({ subCode: 0 }, ROOM)]).toEqual([])
  const by = { subCode: 5300, sender: { id: ANN, displayName: 'Ann' } }
  expect(it.end(by, ROOM)).toEqual([{ kind: 'ended', cause: 'removed', by: 'Ann' }])
  expect(it.end({ subCode: 0 })).toEqual([{ kind: 'ended', cause: 'ended', by: null }])
})

test('reports each move, also from one breakout room to the next', () => {
  const it = client()
  const movesAt = (callId: string) => it.look({ ownId: BOT, callId, muted: [] }).filter(({ kind }) => kind === 'room')
  expect([CALL, CALL, 'red', 'red', 'blue', CALL].map(movesAt)).toEqual([
    [],
    [],
    [{ kind: 'room', name: '' }],
    [],
    [{ kind: 'room', name: '' }],
    [{ kind: 'room', name: null }],
  ])
})
