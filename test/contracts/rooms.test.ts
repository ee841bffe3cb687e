// The modes of the built-in room: open, signed and off.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { clientAddress } from '../../src/kit/addresses.ts'
import { startTestService, type TestService } from '../helpers/service/service.ts'

const LATER = new Date(Date.now() + 86_400_000).toISOString()

/** The HTTP status of the room's WebSocket upgrade. */
async function socketStatus(pageUrl: string): Promise<number> {
  const url = new URL(pageUrl)
  url.protocol = 'ws:'
  url.pathname += '/socket'
  const socket = new WebSocket(url)
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode ?? 0))
    socket.once('error', reject)
  }).finally(() => socket.terminate()) as Promise<number>
}

const send = ({ api }: TestService, link: string, more: object = {}) =>
  api('POST', '/api/v1/bots/create_bot', { meeting_link: link, join_at: LATER, ...more })

describe('signed', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ ROOM: 'signed' })
  })
  afterAll(() => service?.stop())

  const invite = async (body: object = {}) => (await service.api('POST', '/api/v1/rooms', body)).body

  test('creates a link by POST /rooms that opens page and socket until it expires', async () => {
    const { status, body } = await service.api('POST', '/api/v1/rooms', { name: 'stand-up', expires_in: 600 })
    expect(status).toBe(201)
    expect(body.room_id).toMatch(/^stand-up-[\w-]{12}$/)
    expect(body.room_url).toMatch(new RegExp(`^${service.url}/room/${body.room_id}\\?token=\\d+\\.[\\w-]{43}$`))
    expect(Date.parse(body.expires_at) - Date.now()).toBeGreaterThan(500_000)
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(600_000)
    const page = await fetch(body.room_url)
    expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
    expect(await socketStatus(body.room_url)).toBe(101)
  })

  test.each([
    [{ name: 'a b' }, 'name must be 1 to 40 letters, digits, - and _.'],
    [{ name: 'x'.repeat(41) }, 'name must be 1 to 40 letters, digits, - and _.'],
    [{ expires_in: 59 }, 'expires_in must be from 60 to 31622400.'],
    [{ expires_in: '60' }, 'expires_in must be an integer.'],
  ])('rejects %j in POST /rooms', async (body, message) => {
    expect(await service.api('POST', '/api/v1/rooms', body)).toMatchObject({ status: 400, body: { message } })
  })

  test('refuses a link to a room of another workspace', async () => {
    const stranger = await service.stranger()
    const own = await invite({ name: 'board' })
    const { body: other } = await stranger('POST', '/api/v1/rooms', { name: 'board' })
    expect(other.room_id).not.toBe(own.room_id)
    expect((await invite({ name: 'board' })).room_id).toBe(own.room_id)
    const borrowed = own.room_url.replace(/token=.*/, new URL(other.room_url).search.slice(1))
    expect([(await fetch(borrowed)).status, await socketStatus(borrowed)]).toEqual([403, 403])
  })

  test('answers 403 with a readable page for page and socket without a token of the room', async () => {
    const { room_url: url } = await invite()
    for (const link of [`${service.url}/room/stand-up`, url.replace(/\?.*/, ''), `${url}x`, url.replace('/room/', '/room/x')]) {
      const page = await fetch(link)
      expect(page.status, link).toBe(403)
      expect(page.headers.get('content-type')).toContain('text/html')
      expect(await page.text()).toContain('This link does not open the room')
      expect(await socketStatus(link), link).toBe(403)
    }
  })

  test('accepts a link with a token in create_bot, also in angle brackets and with a name, and echoes it', async () => {
    const { room_id: id, room_url: url } = await invite({ name: 'demo' })
    const { status, body } = await send(service, `<${url}&name=Ada>`)
    expect([status, body.meeting_url]).toEqual([201, url])
    const echoes = JSON.stringify((await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)).body)
    expect(echoes).toContain(id)
  })

  test.each([
    ['no token', (url: string) => url.replace(/\?.*/, '')],
    ['a forged token', (url: string) => url.replace(/.{20}$/, 'A'.repeat(20))],
    ['the token of another room', (url: string) => url.replace('/room/', '/room/x')],
  ])('rejects a room link with %s in create_bot', async (_what, broken) => {
    const { room_url: url } = await invite()
    const message = 'meeting_link must have a valid token. Create a link with POST /api/v1/rooms.'
    expect(await send(service, broken(url))).toMatchObject({ status: 400, body: { message } })
  })

  test('treats two links to one room as the same meeting', async () => {
    const [first, second] = [await invite({ name: 'twice', expires_in: 600 }), await invite({ name: 'twice', expires_in: 900 })]
    expect(first.room_url).not.toBe(second.room_url)
    const made = await send(service, first.room_url, { deduplication_key: 'twice' })
    const again = await send(service, second.room_url, { deduplication_key: 'twice' })
    expect([made.status, again.status, again.body.bot_id]).toEqual([201, 200, made.body.bot_id])
  })
})

describe('off', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ ROOM: 'off' })
  })
  afterAll(() => service?.stop())

  test('answers 404 for pages, their code and sockets', async () => {
    for (const path of ['/room/a', '/room/a/', '/room/assets/page/main.ts'])
      expect((await fetch(service.url + path)).status, path).toBe(404)
    expect(await socketStatus(`${service.url}/room/a`)).toBe(404)
  })

  test('answers 400 with the reason for create_bot and POST /rooms', async () => {
    const message =
      'meeting_link is a built-in room, but built-in rooms are disabled on this server. Its operator can set ROOM to open or signed.'
    expect(await send(service, `${service.url}/room/a`)).toMatchObject({ status: 400, body: { message } })
    expect(await service.api('POST', '/api/v1/rooms', {})).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('are disabled') },
    })
  })
})

test('opens rooms on loopback, where links of POST /rooms work too', async () => {
  const service = await startTestService()
  onTestFinished(() => service.stop())
  const { body } = await service.api('POST', '/api/v1/rooms')
  for (const url of [`${service.url}/room/a`, body.room_url]) {
    expect([(await fetch(url)).status, await socketStatus(url), (await send(service, url)).status], url).toEqual([200, 101, 201])
  }
})

test('requires signed links behind a proxy with another PUBLIC_URL', async () => {
  const service = await startTestService({ PUBLIC_URL: 'https://bots.example' })
  onTestFinished(() => service.stop())
  const page = `${service.url}/room/a`
  expect([(await fetch(page)).status, await socketStatus(page)]).toEqual([403, 403])
})

test('counts sockets by the client address that the API sees', async () => {
  for (const trustProxy of [true, false]) {
    const app = Fastify({ trustProxy: trustProxy && ((_address: string, hop: number) => hop === 0) })
    app.get('/', async (request) => request.ip)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const plain = createServer((request, response) => response.end(clientAddress(request, trustProxy)))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      await app.close()
      await new Promise((resolve) => plain.close(resolve))
    })
    const ports = [app.server, plain].map((it) => (it.address() as AddressInfo).port)
    for (const forwarded of [
      undefined,
      '203.0.113.9',
      ' 203.0.113.9 , 10.0.0.1',
      '10.0.0.1,,203.0.113.9',
      ', 2001:db8::1',
      ',',
      'unknown',
    ]) {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
      const [api, room] = await Promise.all(ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/`, { headers })).text()))
      expect(room, `${forwarded}`).toBe(api)
    }
  }
})
