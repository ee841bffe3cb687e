// Decoding Teams' own messages, from bytes as the field notes describe them.
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ANN,
  audio,
  BOT,
  CALL,
  client,
  entry,
  namesIn,
  packed,
  SDP,
  streamsIn,
  usersIn,
} from '../../../../test/helpers/meetings/teams-messages.ts'
import { chatText } from './chat-text.ts'

test('holds rosters until the client publishes its call and its own entry', () => {
  const it = client()
  expect(it.roster({ k1: entry('8:orgid:x', 'Room Two') }, 'another-call')).toEqual([])
  expect(it.roster({ k1: entry(ANN, 'Ann', [audio(1053)], { meetingRole: 'organizer' }), k2: entry(BOT, 'Notes') })).toEqual([])
  const users = [
    { id: ANN, name: 'Ann', presence: 'here', isSelf: false, parentId: null, isHost: true },
    { id: BOT, name: 'Notes', presence: 'here', isSelf: true, parentId: null, isHost: false },
  ]
  const streams = [{ userId: ANN, kind: 'audio', streamId: '1053', disabled: false }]
  expect(it.look()).toEqual([{ kind: 'changes', users, streams, chat: [] }])
  expect(it.roster({ k3: entry('8:orgid:y', 'Room Two') }, 'another-call')).toEqual([])
})

test('finds the bot by name where `window` has no call, and takes the first call for its own', () => {
  const it = client(null)
  it.roster({ k1: entry(ANN, 'Ann'), k2: entry(BOT, 'Notes'), k3: entry('8:orgid:n', 'Notes') })
  const looks = Array.from({ length: 5 }, () => it.look())
  expect(looks.slice(0, 4).flat()).toEqual([])
  expect(namesIn(looks[4] ?? [])).toEqual([
    ['Ann', 'here', false],
    ['Notes', 'here', true],
    ['Notes', 'here', false],
  ])
  expect(it.roster({ k4: entry('8:orgid:z', 'Zoe') }, 'another-call')).toEqual([])
})

test('keeps an account until both of its entries are gone, and ignores entries without a name', () => {
  const it = client()
  it.look()
  it.roster({ k1: entry(ANN, 'Ann'), k2: entry(ANN, 'Ann') })
  expect(namesIn(it.roster({ k1: { state: 'inactive' } }))).toEqual([['Ann', 'here', false]])
  expect(namesIn(it.roster({ k2: { details: { id: ANN }, state: 'inactive', endpoints: {} } }))).toEqual([[null, 'left', false]])
  expect(it.roster({ k3: { details: { id: '8:orgid:z' }, state: 'active' } })).toMatchObject([{ users: [{ presence: 'left' }] }])
  expect(namesIn(it.roster({ k4: entry('8:orgid:w', 'Wil', [], { state: 'lobby' }) }))).toEqual([[null, 'left', false]])
})

test('removes accounts that a snapshot lacks, unless they joined meanwhile', () => {
  const it = client()
  it.look()
  it.roster({ k1: entry(ANN, 'Ann') })
  it.read({ kind: 'description', text: SDP })
  it.roster({ k3: entry('8:orgid:n', 'New') })
  const snapshot = JSON.stringify({ participants: { k2: entry('8:orgid:c', 'Cy', [audio(7)]) } })
  expect(it.read({ kind: 'snapshot', text: snapshot }), 'its call is unknown').toEqual([])
  const changes = it.look()
  expect(namesIn(changes)).toEqual([
    [null, 'left', false],
    ['Cy', 'here', false],
  ])
  expect(streamsIn(changes)).toMatchObject([{ userId: '8:orgid:c', streamId: '7' }])
  expect(it.read({ kind: 'snapshot', text: '{"error":"busy"}' })).toEqual([])
})

test('names a video stream by the section for which the page requested its source', () => {
  const it = client()
  it.look()
  it.read({ kind: 'description', text: SDP })
  const camera = { type: 'video', sourceId: 1066, direction: 'sendrecv' }
  const [first] = streamsIn(it.roster({ k1: entry(ANN, 'Ann', [camera]) }))
  expect(first, 'no section shows it').toMatchObject({ streamId: null, disabled: false })
  expect(streamsIn(it.asks(1066, 203))).toEqual([{ userId: ANN, kind: 'video', streamId: 'mainVideo-8', disabled: false }])
  expect(streamsIn(it.asks(-1, 203))).toMatchObject([{ streamId: null, disabled: false }])
  it.asks(1066, 203)
  const off = { ...camera, direction: 'recvonly' }
  expect(streamsIn(it.roster({ k1: entry(ANN, 'Ann', [off]) }))).toMatchObject([{ streamId: null, disabled: true }])
})

test('reads a shared screen as a separate user, from its start to its end', () => {
  const it = client()
  it.look()
  it.read({ kind: 'description', text: SDP })
  const screen = { type: 'applicationsharing-video', sourceId: 1079, direction: 'sendonly' }
  const began = it.roster({ k1: entry(ANN, 'Ann', [screen]) })
  expect(usersIn(began).map(({ id, parentId, presence }) => [id, parentId, presence])).toEqual([
    [ANN, null, 'here'],
    [`${ANN}/screen`, ANN, 'here'],
  ])
  expect(streamsIn(it.asks(1079, 203))).toMatchObject([{ userId: `${ANN}/screen`, streamId: 'mainVideo-8' }])
  expect(usersIn(it.roster({ k1: entry(ANN, 'Ann') })).at(-1)).toMatchObject({ id: `${ANN}/screen`, presence: 'left' })
})

test('reads muted participants from the call in `window`', () => {
  const it = client()
  it.look()
  it.roster({ k1: entry(ANN, 'Ann', [audio(1053)]) })
  expect(streamsIn(it.look({ ownId: BOT, callId: CALL, muted: [ANN] }))).toMatchObject([{ userId: ANN, disabled: true }])
})

test.each([
  ['a participant removed the bot', { subCode: 5300, sender: { id: ANN, displayName: 'Ann' } }, { cause: 'removed', by: 'Ann' }],
  [
    'a participant removed the bot (code 5000)',
    { subCode: 5000, sender: { id: ANN, displayName: 'Ann' } },
    { cause: 'removed', by: 'Ann' },
  ],
  ['the meeting ended', { subCode: 0 }, { cause: 'ended', by: null }],
  ['the bot left', { subCode: 0, sender: { id: BOT, displayName: 'Notes' } }, { cause: 'left', by: null }],
])('reports the cause of the end: %s', (_label, body, ended) => {
  const it = client()
  it.look()
  expect(it.end(packed(body))).toEqual([{ kind: 'ended', ...ended }])
  expect(it.end(JSON.stringify(body))).toEqual([{ kind: 'ended', ...ended }])
  expect(it.end(packed(body), 'another-call')).toEqual([])
})

test('reads captions with their speech time, and makes speakers behind a room microphone participants', () => {
  const it = client()
  it.look()
  const saidMs = Date.parse('2026-11-16T10:00:00Z')
  const result = {
    userId: ANN,
    text: 'Good morning',
    isFinal: true,
    timestampAudioSent: (saidMs + 2_208_988_800_000) * 1e4,
    duration: 15e6,
  }
  const [caption] = it.caption({ recognitionResults: [result] })
  expect(caption).toMatchObject({ kind: 'caption', caption: { userId: ANN, text: 'Good morning', final: true } })
  expect(caption).toHaveProperty('caption.spoken', { fromMs: saidMs, toMs: saidMs + 1_500 })
  const [changes, local] = it.caption({ recognitionResults: [{ ...result, userId: '5f0c@local' }] })
  expect(changes).toMatchObject({ kind: 'changes', users: [{ id: '5f0c@local', name: 'Speaker 1', presence: 'here' }] })
  expect(local).toMatchObject({ kind: 'caption', caption: { userId: '5f0c@local' } })
  expect(it.caption({ recognitionResults: [{ ...result, userId: '5f0c@local' }] })).toHaveLength(1)
})

test('reads the newest of the dominant speaker history, and nothing of an empty one', () => {
  const it = client()
  expect(it.caption([{ type: 'dsh', history: [1066, 1053] }])).toEqual([{ kind: 'dominant', streamId: '1066' }])
  expect([...it.caption([{ type: 'dsh', history: [] }]), ...it.caption([{ type: 'sr' }])]).toEqual([])
})

test('reads chat messages of participants only', () => {
  const it = client()
  const message = {
    clientMessageId: 'm1',
    from: `https://x.example/v1/users/ME/contacts/${ANN}`,
    imDisplayName: 'Ann',
    messageType: 'RichText/Html',
  }
  const batch = [
    { message: { ...message, content: '<p>A &amp; B</p>' } },
    { message: { ...message, messageType: 'ThreadActivity/AddMember', content: 'x' } },
  ]
  expect(it.read({ kind: 'chat', text: JSON.stringify({ chatServiceBatchEvent: batch }) })).toMatchObject([
    { chat: [{ id: 'm1', userId: ANN, name: 'Ann', text: 'A & B' }] },
  ])
})

test.each([
  ['<p>One</p><p>Two<br>Three</p>', 'One\nTwo\nThree'],
  ['Good <img itemtype="http://schema.skype.com/Emoji" alt="😀"> day', 'Good 😀 day'],
  ['<div>&lt;b&gt;&nbsp;&#8364;&#x20AC; &amp;lt; &unknown;</div>', '<b> €€ &lt; &unknown;'],
  ['plain text', 'plain text'],
])('extracts the text of %j', (html, text) => expect(chatText(html)).toBe(text))

test('does not unpack a decompression bomb', () => {
  const it = client()
  it.look()
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, ' ')).toString('base64')
  expect(it.frame('conversation/rosterUpdate/', bomb)).toEqual([])
})

test('never throws on arbitrary reports', () => {
  const kinds = ['trouter', 'snapshot', 'globals', 'main-channel', 'requests', 'description', 'chat']
  const it = client()
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue().map((value) => `3:::${JSON.stringify({ url: '/rosterUpdate', body: value })}`),
  )
  fc.assert(
    fc.property(fc.constantFrom(...kinds), anything, (kind, text) => void it.read({ kind, text })),
    { numRuns: 500 },
  )
  const participants = fc.dictionary(
    fc.string(),
    fc.oneof(fc.jsonValue(), fc.record({ details: fc.jsonValue(), state: fc.jsonValue(), endpoints: fc.jsonValue() })),
  )
  fc.assert(
    fc.property(participants, (given) => void it.roster(given)),
    { numRuns: 500 },
  )
})
