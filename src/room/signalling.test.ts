import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../test/helpers/until.ts'
import { attachSignalling, type Signalling } from './signalling.ts'
import type { ClientMessage, ServerMessage } from './wire.ts'

const MEDIA = { microphone: true, camera: true, screen: false }
const OFFER = { description: { type: 'offer', sdp: 'v=0' } } as const

let server: Server
let signalling: Signalling
let base: string
beforeEach(async () => {
  server = createServer()
  signalling = attachSignalling(server, { now: Date.now, iceServers: [{ urls: 'stun:stun.example' }] })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await signalling.close()
  await new Promise((resolve) => server.close(resolve))
})

type Client = {
  readonly socket: WebSocket
  readonly received: ServerMessage[]
  /** Resolves with the close code. */
  readonly closed: Promise<number>
  say(message: ClientMessage): void
  last<Kind extends ServerMessage['kind']>(kind: Kind): Promise<Extract<ServerMessage, { kind: Kind }>>
}

async function connect(room: string, options = {}): Promise<Client> {
  const socket = new WebSocket(`${base}/room/${room}/socket`, options)
  const received: ServerMessage[] = []
  socket.on('message', (data) => received.push(JSON.parse(data.toString())))
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  return {
    socket,
    received,
    closed,
    say: (message) => socket.send(JSON.stringify(message)),
    last: <Kind extends ServerMessage['kind']>(kind: Kind) =>
      until(`${kind} is received`, () => received.findLast((it): it is Extract<ServerMessage, { kind: Kind }> => it.kind === kind)),
  }
}

async function enter(room: string, name: string, more: { lobby?: boolean } = {}): Promise<Client & { id: string; token: string }> {
  const client = await connect(room)
  client.say({ kind: 'join', name, bot: false, lobby: false, media: MEDIA, ...more })
  const { you, token } = await Promise.race([client.last('entered'), client.last('waiting')])
  return { ...client, id: you, token }
}

const rosterIs = (client: Client, names: string[]) =>
  until(`the roster is ${names}`, async () => {
    const people = (await client.last('roster')).people.map(({ name, connected }) => (connected ? name : `${name}?`))
    return people.join() === names.join()
  })

test('forwards signals within a room and not between rooms', async () => {
  const ada = await enter('one', 'Ada')
  const ben = await enter('one', 'Ben')
  const eve = await enter('two', 'Eve')
  expect(ada.received[0]).toEqual({ kind: 'hello', iceServers: [{ urls: 'stun:stun.example' }] })

  eve.say({ kind: 'signal', to: ada.id, signal: OFFER })
  eve.say({ kind: 'chat', text: 'only here' })
  await eve.last('chat')
  ben.say({ kind: 'signal', to: ada.id, signal: OFFER })
  expect(await ada.last('signal')).toEqual({ kind: 'signal', from: ben.id, signal: OFFER })
  expect(ada.received.filter((it) => it.kind === 'signal' || it.kind === 'chat')).toHaveLength(1)
  expect(ben.received.some((it) => it.kind === 'signal')).toBe(false)
})

test('keeps the seat and queued signals of a broken connection and frees the seat on a goodbye', async () => {
  const ada = await enter('one', 'Ada')
  const ben = await enter('one', 'Ben')
  ben.socket.terminate()
  await rosterIs(ada, ['Ada', 'Ben?'])
  ada.say({ kind: 'signal', to: ben.id, signal: OFFER })
  ada.say({ kind: 'chat', text: 'still there?' })
  await ada.last('chat')

  const again = await connect('one')
  again.say({ kind: 'resume', token: ben.token })
  const entered = await again.last('entered')
  expect([entered.you, entered.chat.map((it) => it.text)]).toEqual([ben.id, ['still there?']])
  expect(await again.last('signal')).toEqual({ kind: 'signal', from: ada.id, signal: OFFER })
  await rosterIs(ada, ['Ada', 'Ben'])

  again.socket.close(1001)
  await rosterIs(ada, ['Ada'])
})

test('refuses to resume with an unknown token', async () => {
  await enter('one', 'Ada')
  const guest = await connect('one')
  guest.say({ kind: 'resume', token: 'guessed' })
  expect(await guest.last('over')).toEqual({ kind: 'over', reason: 'seat_unknown' })
  expect(await guest.closed).toBe(1000)
})

test('moves the seat from a half-open connection to a new one with the same token', async () => {
  const ada = await enter('one', 'Ada')
  const again = await connect('one')
  again.say({ kind: 'resume', token: ada.token })
  expect((await again.last('entered')).you).toBe(ada.id)
  expect(await ada.closed).toBe(1000)
  expect((await again.last('roster')).people.map((it) => it.connected)).toEqual([true])
})

test('sends the reason to removed and refused people and closes their connections', async () => {
  const ada = await enter('one', 'Ada', { lobby: true })
  const ben = await enter('one', 'Ben')
  const cy = await enter('one', 'Cy')
  ada.say({ kind: 'refuse', whom: cy.id })
  expect((await cy.last('over')).reason).toBe('refused')
  ada.say({ kind: 'admit', whom: ben.id })
  await ben.last('entered')
  ada.say({ kind: 'end' })
  for (const person of [ada, ben]) expect((await person.last('over')).reason).toBe('ended')
  await until('all connections are closed', () => [ada, ben, cy].every(({ socket }) => socket.readyState === WebSocket.CLOSED))
})

test.each([
  ['a message that is not JSON', '{', 'The message must be JSON.'],
  ['a message that is not an object', '[]', 'The message must be an object.'],
  ['an unknown kind', '{"kind":"__proto__"}', 'kind must be one of join,'],
  ['a name that is not a string', '{"kind":"join","name":1}', 'name must be text.'],
  ['missing media', '{"kind":"join","name":"x","bot":false,"lobby":false}', 'media must be an object.'],
  ['a message before joining', '{"kind":"end"}', 'The first message must be join or resume.'],
  [
    'an unknown description type',
    '{"kind":"signal","to":"x","signal":{"description":{"type":"x"}}}',
    'signal.description.type must be offer or answer.',
  ],
])('rejects %s with the reason', async (_description, text, detail) => {
  const client = await connect('one')
  client.socket.send(text)
  expect(await client.last('problem')).toMatchObject({ problem: 'bad_message', detail: expect.stringContaining(detail) })
})

test('disconnects a client that floods or sends too much at once without affecting others', async () => {
  const ada = await enter('one', 'Ada')
  const flood = await enter('one', 'Flood')
  for (let count = 0; count < 1_000; count++) flood.say({ kind: 'media', media: MEDIA })
  expect(await flood.closed).toBe(1008)
  await rosterIs(ada, ['Ada'])

  const huge = await enter('one', 'Huge')
  huge.socket.send('x'.repeat(100_000))
  expect(await huge.closed).toBe(1009)
  ada.say({ kind: 'chat', text: 'quiet again' })
  expect((await ada.last('chat')).line.text).toBe('quiet again')
})

test('refuses pages of other sites and other paths', async () => {
  const refusal = async (path: string, origin: string) => {
    const socket = new WebSocket(base + path, { headers: { origin } })
    const [error] = await once(socket, 'error')
    return error.message
  }
  const own = base.replace('ws:', 'http:')
  expect(await refusal('/room/one/socket', 'https://evil.example')).toContain('403')
  expect(await refusal('/room/one/two/socket', own)).toContain('404')
  const { socket } = await connect('one', { headers: { origin: own } })
  socket.terminate()
})

test('detects a peer that does not answer within 10 seconds', { timeout: 15_000 }, async () => {
  const ada = await enter('one', 'Ada')
  const dead = await connect('one', { autoPong: false })
  dead.say({ kind: 'join', name: 'Dead', bot: false, lobby: false, media: MEDIA })
  await rosterIs(ada, ['Ada', 'Dead'])
  const since = performance.now()
  await until('the dead peer is shown as disconnected', async () => (await ada.last('roster')).people.some((it) => !it.connected), 11_000)
  expect(performance.now() - since).toBeLessThan(10_300)
})
