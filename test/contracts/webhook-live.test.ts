// Participant events during the meeting: to workspace endpoints and to the bot's own realtime endpoints.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import type { BotId } from '../../src/domain/bot.ts'
import { createLiveEvents, type LiveEvents } from '../../src/service/delivery/live-events.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { startTestService, type TestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

let service: TestService
let hook: Receiver
let live: LiveEvents
beforeAll(async () => {
  service = await startTestService({ BOT_WORKERS: '0' })
  hook = await startReceiver()
  live = createLiveEvents({ db: service.db, onNews: () => undefined, allowPrivate: true, now: () => new Date() })
})
afterAll(async () => {
  await live.stop()
  await hook.close()
  await service.stop()
})

const ENTERED = new Date('2026-11-15T09:30:00.000Z')
const after = (seconds: number) => ENTERED.getTime() + seconds * 1_000
const ADA = { id: 'ada', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: false }
const BEN = { id: 'ben', name: 'Ben', isHost: false, microphoneOn: false, cameraOn: true }

async function botWith(body: object): Promise<BotId> {
  const fields = { meeting_link: 'https://meet.google.com/abc-defg-hij', custom_attributes: { deal: 7 }, ...body }
  const { status, body: answer } = await service.api('POST', '/api/v1/bots/create_bot', fields)
  expect(status, JSON.stringify(answer)).toBe(201)
  await service.db
    .updateTable('bots')
    .set({ status: 'InMeeting', in_meeting_at: ENTERED, launch_at: null })
    .where('id', '=', answer.bot_id)
    .execute()
  return answer.bot_id
}

const realtime = (...realtime_endpoints: object[]) => ({ recording_config: { realtime_endpoints } })
const look = (bot: BotId, second: number, others: (typeof ADA)[]) =>
  live.people({ botId: bot, fence: 0 }, { others, spokenMs: {}, at: after(second) })
const write = (bot: BotId, second: number, text: string) =>
  live.chat({ botId: bot, fence: 0 }, { from: 'ben', name: 'Ben', text, at: after(second) })
const received = (path: string) => hook.received.filter((it) => it.path === path).map((it) => it.body)
const brief = (it: { event: string; data: { data: { participant: { name: string } } } }) =>
  `${it.event.split('.')[1]} ${it.data.data.participant.name}`

describe('a realtime endpoint with a webhook', () => {
  test('receives its events in order with every field, and callback_url receives none of them', async () => {
    const bot = await botWith({
      ...realtime(
        {
          type: 'webhook',
          url: `${hook.url}/live`,
          events: ['participant_events.join', 'participant_events.leave', 'participant_events.update', 'participant_events.chat_message'],
        },
        { type: 'webhook', url: `${hook.url}/chat`, events: ['participant_events.chat_message'] },
      ),
      callback_url: `${hook.url}/callback`,
    })
    await look(bot, 1.5, [ADA])
    await look(bot, 2, [ADA, BEN])
    await look(bot, 3, [{ ...ADA, microphoneOn: false }, BEN])
    await write(bot, 4, 'Shall we begin?')
    await look(bot, 5, [BEN])
    await look(bot, 6, [BEN])
    await until('all is told', async () => received('/live').length >= 5 && received('/chat').length >= 1, 10_000)
    expect(received('/live').map(brief)).toEqual(['join Ada', 'join Ben', 'update Ada', 'chat_message Ben', 'leave Ada'])
    expect(received('/callback').map((it) => it.event)).toEqual(['bot.joining'])

    const { transcript_id } = await service.db.selectFrom('bots').select('transcript_id').where('id', '=', bot).executeTakeFirstOrThrow()
    const absolute = new Date(after(4)).toISOString()
    expect(received('/chat')).toEqual([
      {
        event: 'participant_events.chat_message',
        bot_id: bot,
        timestamp: absolute,
        data: {
          data: {
            action: 'chat_message',
            participant: { id: 'ben', name: 'Ben', full_name: 'Ben', platform: 'GMeet', is_host: false, mic_on: false, camera_on: true },
            timestamp: { relative: 4, absolute },
            data: { text: 'Shall we begin?', to: 'everyone' },
          },
          bot: { id: bot, metadata: { deal: 7 } },
        },
        custom_attributes: { deal: 7 },
        transcript_id,
        event_id: expect.stringMatching(/^msg_/),
      },
    ])
    expect(received('/live')[2].data.data).toMatchObject({ action: 'update', participant: { mic_on: false, camera_on: false } })
    for (const it of hook.received) expect(it.headers).not.toHaveProperty('x-service-signature')
  })

  test('is rejected at creation with an unknown event', async () => {
    const endpoint = { type: 'webhook', url: `${hook.url}/live`, events: ['participant_events.joined'] }
    const body = { meeting_link: 'https://meet.google.com/abc-defg-hij', ...realtime(endpoint) }
    const answer = await service.api('POST', '/api/v1/bots/create_bot', body)
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/realtime_endpoints.*participant_events\.joined/) },
    })
  })
})

test('sends participant events signed to workspace endpoints, lists them in the feed, and deletes them with the bot', async () => {
  const { body: endpoint } = await service.api('POST', '/api/v1/webhook_endpoints', {
    url: `${hook.url}/workspace`,
    events: ['participant_events.join'],
  })
  onTestFinished(async () => void (await service.api('DELETE', `/api/v1/webhook_endpoints/${endpoint.id}`)))
  const bot = await botWith({})
  await look(bot, 1, [ADA])
  await write(bot, 2, 'A secret')
  await until('it is told', async () => received('/workspace').length >= 1, 10_000)
  expect(received('/workspace').map(brief)).toEqual(['join Ada'])
  expect(hook.received.find((it) => it.path === '/workspace')?.headers).toHaveProperty('webhook-signature')
  const feed = async () =>
    JSON.stringify((await service.api('GET', '/api/v1/events?limit=100')).body.events.filter((it: { bot_id: string }) => it.bot_id === bot))
  expect(await feed()).toContain('A secret')

  await service.db.updateTable('bots').set({ status: 'Done' }).where('id', '=', bot).execute()
  expect((await service.api('DELETE', `/api/v1/bots/${bot}/delete`)).status).toBe(200)
  expect(await feed()).not.toContain('A secret')
  expect(await feed()).not.toContain('Ada')
  expect(await feed()).toContain('data_deletion')
})

describe('a realtime endpoint with a WebSocket', () => {
  async function listen(port = 0, { autoPong = true } = {}) {
    const server = new WebSocketServer({ host: '127.0.0.1', port, autoPong })
    await once(server, 'listening')
    const frames: Record<string, unknown>[] = []
    const agents: unknown[] = []
    let connections = 0
    server.on('connection', (socket, { headers }) => {
      connections += 1
      agents.push(headers['user-agent'])
      socket.on('message', (data) => frames.push(JSON.parse(String(data))))
    })
    const close = async () => {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    }
    return {
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`,
      frames: () => frames,
      connections: () => connections,
      agents,
      close,
    }
  }

  const wanting = (url: string) =>
    realtime({ type: 'websocket', url, events: ['participant_events.join', 'participant_events.chat_message'] })
  const names = (ear: Awaited<ReturnType<typeof listen>>) => ear.frames().map((it) => it.event ?? it.type)

  test('gets a greeting and its events, and is closed when the bot leaves', async () => {
    const ear = await listen()
    onTestFinished(() => ear.close())
    const bot = await botWith(wanting(ear.url))
    await look(bot, 1, [ADA])
    await look(bot, 2, [{ ...ADA, microphoneOn: false }])
    await write(bot, 3, 'Hello')
    live.ended(bot)
    await until('all is heard', async () => ear.frames().length >= 3, 5_000)
    expect(ear.frames()[0]).toEqual({ type: 'ready', bot_id: bot })
    expect(ear.agents).toEqual(['Emissary/1.0'])
    expect(names(ear)).toEqual(['ready', 'participant_events.join', 'participant_events.chat_message'])
    const rows = await service.db.selectFrom('events').select('id').where('bot_id', '=', bot).orderBy('seq').execute()
    expect(rows.map(({ id }) => id)).toContain(ear.frames()[2]?.event_id)
  })

  test('works on a port that browsers block', async () => {
    // The first port may be in use.
    const ear = await listen(10_080).catch(() => listen(6_697))
    onTestFinished(() => ear.close())
    const bot = await botWith(wanting(ear.url))
    await write(bot, 1, 'Hello')
    await until('it is heard', async () => ear.frames().length === 2, 10_000)
    live.ended(bot)
  })

  test('reconnects after a failure and sends the events from meanwhile', async () => {
    const ear = await listen()
    const { port } = new URL(ear.url)
    const bot = await botWith(wanting(ear.url))
    await write(bot, 1, 'one')
    await until('one is heard', async () => ear.frames().length === 2, 5_000)
    await ear.close()
    await write(bot, 2, 'two')
    await write(bot, 3, 'three')
    const again = await listen(Number(port))
    onTestFinished(() => again.close())
    await until('it came back', async () => again.frames().length >= 3, 8_000)
    expect(again.frames().map((it) => (it as { data?: { data: { data: { text: string } } } }).data?.data.data.text ?? it.type)).toEqual([
      'ready',
      'two',
      'three',
    ])
    live.ended(bot)
  })

  test('reports the number of missed events after a long outage', async () => {
    const ear = await listen()
    const { port } = new URL(ear.url)
    await ear.close()
    const bot = await botWith(wanting(ear.url))
    for (let count = 0; count < 260; count++) await write(bot, count, String(count))
    const late = await listen(Number(port))
    onTestFinished(() => late.close())
    await until('it came', async () => late.frames().length >= 258, 20_000)
    expect(late.frames().slice(0, 2)).toMatchObject([{ type: 'ready' }, { type: 'gap', frames: 4 }])
    expect(late.frames()).toHaveLength(258)
    live.ended(bot)
  })

  test('reconnects to a receiver that stops answering, and counts the events since its last sign of life', async () => {
    const ear = await listen(0, { autoPong: false })
    onTestFinished(() => ear.close())
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const bot = await botWith(wanting(ear.url))
    await write(bot, 1, 'one')
    await until('it is received', async () => ear.frames().length === 2)
    vi.advanceTimersByTime(30_000)
    await until('the gap', async () => ear.frames().length >= 4)
    expect(ear.frames().slice(2)).toMatchObject([{ type: 'ready' }, { type: 'gap', frames: 1 }])
  })

  test('never connects to a private address without ALLOW_INSECURE_URLS', async () => {
    const ear = await listen()
    onTestFinished(() => ear.close())
    const strict = createLiveEvents({ db: service.db, onNews: () => undefined, allowPrivate: false, now: () => new Date() })
    const bot = await botWith(wanting(ear.url))
    await strict.chat({ botId: bot, fence: 0 }, { from: 'ben', name: 'Ben', text: 'hush', at: after(1) })
    const allowed = await listen()
    onTestFinished(() => allowed.close())
    const other = await botWith(wanting(allowed.url))
    await write(other, 1, 'heard')
    await until('the other one is heard', async () => allowed.frames().length === 2, 5_000)
    await strict.stop()
    expect(ear.connections()).toBe(0)
  })
})
