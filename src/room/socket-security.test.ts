// Protection of the rooms' sockets: pages of other sites, too many sockets, and ICE candidates with private addresses.
import { on, once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../../test/helpers/until.ts'
import type { BotSpec, WorkspaceId } from '../domain/bot.ts'
import { createRoomAccess, type RoomMode } from './room-access.ts'
import { attachSignalling, type SignallingOptions } from './signalling.ts'
import type { ClientMessage, ServerMessage } from './wire.ts'

const MEDIA = { microphone: true, camera: true, screen: false }
const JOIN = { kind: 'join', name: 'Ada', bot: false, lobby: false, media: MEDIA } as const

const stops: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function start(mode: RoomMode, more: Partial<SignallingOptions> = {}) {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  let at = Date.now()
  const door = createRoomAccess({ mode, host: '127.0.0.1', secretKey: 'a-secret-key-for-tests', publicUrl: () => url, now: () => at })
  const signalling = attachSignalling(server, { now: Date.now, admit: door.admit, listeningUrl: () => url, ...more })
  const sockets: WebSocket[] = []
  stops.push(() => new Promise((resolve) => server.close(resolve)))
  stops.push(() => signalling.close())
  stops.push(async () => {
    for (const socket of sockets) socket.terminate()
  })
  /** The HTTP status; 101 if the socket opens. */
  const open = async (room: string, { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {}) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/room/${room}/socket${query}`, { headers })
    sockets.push(socket)
    const messages: ServerMessage[] = []
    socket.on('message', (data) => messages.push(JSON.parse(data.toString())))
    // The status is the only reason a client gets.
    socket.on('error', () => undefined)
    const [status, retryAfter] = await Promise.race([
      once(socket, 'open').then(() => [101, undefined] as const),
      once(socket, 'unexpected-response').then(([, it]) => [it.statusCode as number, it.headers['retry-after'] as unknown] as const),
    ])
    const say = (message: ClientMessage) => socket.send(JSON.stringify(message))
    const last = <Kind extends ServerMessage['kind']>(kind: Kind) =>
      until(`${kind} is received`, () => messages.findLast((it): it is Extract<ServerMessage, { kind: Kind }> => it.kind === kind), 20_000)
    /** The id of the joined person; null if the room is full. */
    const join = async (facts: { name?: string; bot?: boolean } = {}) => {
      say({ ...JOIN, ...facts })
      for await (const [data] of on(socket, 'message')) {
        const message: ServerMessage = JSON.parse(data.toString())
        if (message.kind === 'entered') return message.you
        if (message.kind === 'over') break
      }
      return null
    }
    return { status, retryAfter, socket, messages, say, last, join }
  }
  const botQuery = (room: string) => {
    const spec = { meeting: { platform: 'room', url: `${url}/room/${room}`, meetingId: room } } as unknown as BotSpec
    return new URL(door.withBotToken(spec).meeting.url).search
  }
  const pass = (ms: number) => {
    at += ms
  }
  return { url, port, door, open, botQuery, pass }
}

test('refuses a page of a name that an attacker points at this machine (DNS rebinding)', async () => {
  const { open, port } = await start('open')
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', `localhost.evil.example:${port}`])
    expect((await open('one', { headers: { origin: `http://${host}`, host } })).status, host).toBe(403)
  expect((await open('one', { headers: { origin: 'null' } })).status).toBe(403)
  expect((await open('one', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
})

test('accepts pages of the listening address and of loopback names, and programs without an Origin', async () => {
  const { open, port, url } = await start('open')
  expect((await open('one', { headers: { origin: url } })).status).toBe(101)
  for (const host of [`localhost:${port}`, `[::1]:${port}`, 'localhost:8080'])
    expect((await open('one', { headers: { origin: `http://${host}`, host } })).status, host).toBe(101)
  expect((await open('one')).status).toBe(101)
  // A page of another program on this machine.
  expect((await open('one', { headers: { origin: 'http://localhost:3000' } })).status).toBe(403)
})

test('accepts only pages of PUBLIC_URL and of the listening address if PUBLIC_URL is set', async () => {
  const { open, port, url } = await start('open', { publicUrl: 'https://bots.example/emissary' })
  for (const origin of ['https://bots.example', url]) expect((await open('one', { headers: { origin } })).status, origin).toBe(101)
  for (const origin of ['http://bots.example', 'https://bots.example:8443', 'https://evil.example', `http://localhost:${port}`])
    expect((await open('one', { headers: { origin, host: new URL(origin).host } })).status, origin).toBe(403)
})

test('refuses further sockets of an address over its limit and accepts a bot from there', async () => {
  const { open, botQuery } = await start('open')
  const idle = await Promise.all(Array.from({ length: 20 }, () => open('one')))
  expect(idle.map((it) => it.status)).toEqual(Array(20).fill(101))
  expect(await open('one')).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })

  await Promise.all(idle.map((it) => it.join()))
  const seated: number[] = []
  for (let room = 0; room < 15; room++) {
    for (let guest = 0; guest < 7; guest++) {
      const next = await open(`room${room}`)
      if (next.status === 101) await next.join()
      seated.push(next.status)
    }
  }
  expect(new Set(seated)).toEqual(new Set([101, 429]))
  const bot = await open('one', { query: botQuery('one') })
  expect(bot.status).toBe(101)
  // The room has eight people; one more place is reserved for bots.
  expect(await bot.join({ name: 'Bot', bot: true })).toMatch(/^person_/)
}, 60_000)

test('accepts a bot and refuses a guest beside 2,000 seated guests of different addresses', async () => {
  const { open, botQuery } = await start('open', { trustProxy: true })
  const guest = (index: number) => open(`r${index >> 3}`, { headers: { 'x-forwarded-for': `198.18.${index >> 8}.${index & 255}` } })
  for (let from = 0; from < 2_000; from += 100) {
    const wave = await Promise.all(Array.from({ length: 100 }, (_, index) => guest(from + index)))
    await Promise.all(wave.map((it) => it.join()))
  }
  expect(await guest(2_000)).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })
  expect((await open('r1', { query: '?token=1999999999.forged' })).status).toBe(503)
  const bot = await open('r1', { query: botQuery('r1') })
  expect(bot.status).toBe(101)
  expect(await bot.join({ name: 'Bot', bot: true })).toMatch(/^person_/)
}, 120_000)

test('accepts a token of the room in signed mode and lets an expired one only resume its seat', async () => {
  const { open, door, pass } = await start('signed')
  const { roomId, url } = door.invite({ workspaceId: 'w' as WorkspaceId, name: 'daily', expiresInSeconds: 60 })
  const query = new URL(url).search
  expect((await open(roomId)).status).toBe(403)
  expect((await open('another', { query })).status).toBe(403)
  const ada = await open(roomId, { query })
  await ada.join()
  const { token } = await ada.last('entered')
  ada.socket.terminate()

  pass(61_000)
  const late = await open(roomId, { query })
  late.say(JOIN)
  expect(await late.last('over')).toEqual({ kind: 'over', reason: 'link_expired' })
  const again = await open(roomId, { query })
  again.say({ kind: 'resume', token })
  expect((await again.last('entered')).token).toBe(token)
})

test('answers 404 if rooms are turned off', async () => {
  const { open, botQuery } = await start('off')
  expect((await open('one')).status).toBe(404)
  expect((await open('one', { query: botQuery('one') })).status).toBe(404)
})

test('removes candidates with private addresses only from signals to a bot', async () => {
  const { open, botQuery } = await start('open', { trustProxy: true })
  const bot = await open('one', { query: botQuery('one') })
  const botId = (await bot.join({ name: 'Bot', bot: true })) ?? ''
  const ben = await open('one')
  const benId = (await ben.join({ name: 'Ben' })) ?? ''
  const eve = await open('one', { headers: { 'x-forwarded-for': '203.0.113.9' } })
  await eve.join({ name: 'Eve' })

  const candidate = (address: string) => ({
    candidate: { candidate: `candidate:1 1 udp 1 ${address} 53 typ host`, sdpMid: '0', sdpMLineIndex: 0, usernameFragment: null },
  })
  const addresses = ['10.0.0.5', '127.0.0.1', '169.254.169.254', 'printer.local', '8.8.8.8']
  for (const to of [botId, benId]) for (const address of addresses) eve.say({ kind: 'signal', to, signal: candidate(address) })
  eve.say({ kind: 'signal', to: botId, signal: { description: { type: 'offer', sdp: 'v=0\r\nc=IN IP4 10.0.0.5\r\n' } } })
  eve.say({ kind: 'chat', text: 'that was all' })
  await Promise.all([bot.last('chat'), ben.last('chat')])
  const signals = (messages: readonly ServerMessage[]) => messages.flatMap((it) => (it.kind === 'signal' ? [it.signal] : []))
  expect(signals(ben.messages)).toEqual(addresses.map(candidate))
  expect(signals(bot.messages)).toEqual([candidate('8.8.8.8'), { description: { type: 'offer', sdp: 'v=0\r\nc=IN IP4 0.0.0.0\r\n' } }])
})
