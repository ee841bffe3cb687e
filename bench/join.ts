// The time from create_bot until the bot is in the meeting: no lobby, a warm worker, one bot at a time.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { loadNow } from './harness/machine.ts'
import { atMost, type Report } from './harness/report.ts'
import { type BenchServer, withServer } from './harness/server.ts'
import { spreadOf } from './harness/statistics.ts'
import { eventually, removeBot, request, sendBot } from './meeting/bots.ts'
import { launchPeopleBrowser, type Meeting, openMeeting } from './meeting/room-meeting.ts'
import type { BenchOptions } from './options.ts'

const ROUNDS = 15
const POLL_EVERY_MS = 20
const ONE_PERSON = { people: 1, width: 320, height: 180, framesPerSecond: 15, camera: true }
const STAGES = ['Joining', 'InWaitingRoom', 'InMeeting', 'Recording'] as const

/** In milliseconds of the wall clock: the webhook's timestamp and its arrival. */
type Webhook = { readonly timestampMs: number; readonly arrivedAt: number }
type Listener = { readonly url: string; webhookOf(bot: string, status: string): Webhook | undefined }
/** Milliseconds since the request was sent. */
type Round = Readonly<Record<string, number>>

export function join(options: BenchOptions): Promise<Report> {
  return withServer(options, async (server) => {
    const before = loadNow()
    const meeting = await openMeeting(await launchPeopleBrowser(server), `${server.url}/room/join`, ONE_PERSON)
    const listener = await listen(server)
    console.error('a first bot, which is not counted')
    const cold = await oneBot(server, meeting, listener)
    const rounds: Round[] = []
    while (rounds.length < ROUNDS) {
      console.error(`bot ${rounds.length + 1} of ${ROUNDS}`)
      rounds.push(await oneBot(server, meeting, listener))
    }
    const spread = (name: string) => spreadOf(rounds.map((round) => round[name] ?? Number.NaN))
    const rows = Object.keys(rounds[0] ?? {}).map((name) => {
      const { p50, p95, max } = spread(name)
      return [name, { p50, p95, max, 'the first': cold[name] ?? Number.NaN }] as const
    })
    return {
      figures: { 'ms after create_bot was sent': Object.fromEntries(rows), machine: { before, after: loadNow() } },
      budgets: [
        atMost('create_bot to InMeeting, p50, by the webhook’s timestamp', spread(byTimestamp('InMeeting')).p50, 1_500, ' ms'),
        atMost('create_bot to InMeeting, p50, as polling sees it', spread(POLLED).p50, 1_500, ' ms'),
      ],
    }
  })
}

const ANSWERED = 'create_bot answered'
const POLLED = `InMeeting, status polled every ${POLL_EVERY_MS} ms`
const byTimestamp = (stage: string) => `${stage}, by the webhook’s timestamp`
const byArrival = (stage: string) => `${stage}, when the webhook arrived`

async function oneBot(server: BenchServer, meeting: Meeting, listener: Listener): Promise<Round> {
  const sentAt = Date.now()
  const { bot } = await sendBot(server, meeting, { callback_url: listener.url })
  const answeredAt = Date.now()
  const polledAt = await polled(server, bot)
  await eventually('the webhook of the recording', async () => listener.webhookOf(bot, 'Recording') !== undefined)
  const since = (stage: string, which: keyof Webhook) => (listener.webhookOf(bot, stage)?.[which] ?? Number.NaN) - sentAt
  const stages = STAGES.map((stage) => [byTimestamp(stage), since(stage, 'timestampMs')] as const)
  await removeBot(server, bot)
  return {
    [ANSWERED]: answeredAt - sentAt,
    ...Object.fromEntries(stages),
    [byArrival('InMeeting')]: since('InMeeting', 'arrivedAt'),
    [POLLED]: polledAt - sentAt,
  }
}

async function polled(server: BenchServer, bot: string): Promise<number> {
  for (;;) {
    const { status } = await request<{ status: string }>(server, 'GET', `${bot}/status`)
    if (status === 'InMeeting') return Date.now()
    if (!['Joining', 'InWaitingRoom'].includes(status)) throw new Error(`bench: the bot is ${status} instead of in the meeting`)
    await delay(POLL_EVERY_MS)
  }
}

async function listen(server: BenchServer): Promise<Listener> {
  const webhooks = new Map<string, Webhook>()
  const receiver = createServer((request, response) => {
    const arrivedAt = Date.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      type Body = { readonly bot_id: string; readonly bot_status?: string; readonly timestamp: string }
      const { bot_id, bot_status = '', timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as Body
      webhooks.set(`${bot_id} ${bot_status}`, { timestampMs: Date.parse(timestamp), arrivedAt })
      response.end()
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  server.atEnd(async () => {
    receiver.closeAllConnections()
    receiver.close()
  })
  return {
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    webhookOf: (bot, status) => webhooks.get(`${bot} ${status}`),
  }
}
