// A service that is too busy to answer keeps its bots in their meetings: leases are renewed apart from the event loop that serves requests.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, joinRoom, NO_VIDEO, withoutCamera } from '../../helpers/meetings/bot-in-room.ts'
import { scaled } from '../../helpers/scale.ts'
import { blockEventLoop } from '../../helpers/service/block-event-loop.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { API_KEY, type Client, clientOf } from '../../helpers/service/service.ts'
import { type ServiceProcess, startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 180_000
const TONE_HZ = 440
const WINDOW_MS = 100
const PER_SECOND = 50

let directory: string
let debuggerPort: number
let service: ServiceProcess
let api: Client
let botId: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'emissary-busy-'))
  debuggerPort = await freePort()
  const settings = { DATA_DIR: directory, BOOTSTRAP_API_KEY: API_KEY, BOT_WORKERS: '1', RATE_LIMIT_PER_MINUTE: '1000000' }
  service = await startServiceProcess(settings, { command: ['node', `--inspect=127.0.0.1:${debuggerPort}`, 'src/cli.ts', 'serve'] })
  api = clientOf(service.url, API_KEY)
  await joinRoom(`${service.url}/room/busy`, withoutCamera({ ...ADA, tone: TONE_HZ }))
  const sent = await api('POST', '/api/v1/bots/create_bot', { meeting_link: `${service.url}/room/busy`, ...NO_VIDEO })
  botId = sent.body.bot_id
  await until('three seconds are recorded', () => recordedMs() > 3_000, 60_000)
}, 120_000)
afterEach(async () => {
  await service?.kill()
  // Its worker writes until it has left.
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
})

const detail = async () => (await api('GET', `/api/v1/bots/${botId}/detail`)).body.bot_details

const recording = () => readRecording(join(directory, 'recordings', botId))
const recordedMs = () => Math.max(0, ...recording().tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))

/** The amplitudes of Ada's tone in every tenth of a second of the recording. Its decoder starts anew with each segment. */
function amplitudes(): readonly number[] {
  const { tracks, sounds } = recording()
  return sounds(...tracks).flatMap(({ startMs, lengthMs, at }) =>
    Array.from({ length: Math.floor(lengthMs / WINDOW_MS) }, (_, index) => {
      const fromMs = startMs + index * WINDOW_MS
      return at(TONE_HZ, fromMs, fromMs + WINDOW_MS)
    }).slice(1),
  )
}

test(
  'keeps a bot in its meeting without a lost frame while the event loop is blocked for 30 s',
  async () => {
    const beforeMs = recordedMs()
    await blockEventLoop(debuggerPort, 30_000)
    await until('the recording goes on', () => recordedMs() > beforeMs + 31_000, 30_000)
    const { Status, Absences } = await detail()
    expect([Status, Absences]).toEqual(['InMeeting', []])
    const recorded = amplitudes()
    const usual = recorded.toSorted((a, b) => a - b)[recorded.length >> 1] ?? 0
    // The last window is still being written.
    expect(recorded.slice(0, -1).filter((it) => it < usual * 0.7)).toEqual([])
    expect(recorded.length * WINDOW_MS).toBeGreaterThan(30_000)
  },
  LONG_MS,
)

/** The requests that cost the most, with and without a key. */
function worstRequests(): readonly (() => Promise<unknown>)[] {
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const nested = (inner: string) => `{"email":${'{"a":'.repeat(28)}${inner}${'}'.repeat(28)}}`
  const many = nested(`[${Array(480_000).fill('0').join(',')}]`)
  const notUtf8 = Buffer.concat([Buffer.from(many.slice(0, -1)), Buffer.from([0x2c, 0x22, 0xff, 0x22, 0x3a, 0x30, 0x7d])]).toString(
    'latin1',
  )
  const known = { authorization: `Token ${API_KEY}` }
  return [
    ...['/internal/v1/bots/x', '/dashboard/v1/session', '/dashboard/v1/invitation', '/hooks/calendar/outlook'].map(
      (path) => () => post(path, many),
    ),
    () => post('/dashboard/v1/session', JSON.stringify({ email: 'ada@example.com', password: 'x'.repeat(100) })),
    () => post('/api/v1/bots/create_bot', many, known),
    () => post('/api/v1/bots/create_bot', notUtf8, known),
    () => post('/api/v1/bots/create_bot', nested(`[${Array(49_000).fill('"a"').join(',')}]`), known),
    ...['/api/v1/openapi.yaml', '/docs', '/api/v1/events?limit=100'].map(
      (path) => () => fetch(`${service.url}${path}`, { headers: known }),
    ),
  ]
}

test(
  'keeps a bot in its meeting under 50 of the worst requests a second',
  async () => {
    const requests = worstRequests()
    const endsAt = Date.now() + scaled({ all: 60_000, gate: 15_000 })
    const answered: Promise<unknown>[] = []
    for (let sent = 0; Date.now() < endsAt; sent++) {
      const request = requests[sent % requests.length]
      // A refused body may end the connection while it is being sent.
      if (request)
        answered.push(
          request()
            .then((response) => (response as Response).arrayBuffer())
            .catch(() => undefined),
        )
      await delay(1000 / PER_SECOND)
    }
    await Promise.all(answered)
    const { Status, Absences } = await detail()
    expect([Status, Absences]).toEqual(['InMeeting', []])
  },
  LONG_MS,
)

test(
  'reports a bot as lost by a pause, and not by its database, after the service was stopped for 12 s',
  async () => {
    process.kill(service.pid, 'SIGSTOP')
    const stoppedAt = Date.now()
    await until('12 s have passed', () => Date.now() - stoppedAt > 12_000, 20_000)
    process.kill(service.pid, 'SIGCONT')
    const absences = await until(
      'the bot is back',
      async () => (await detail()).Absences.filter((it: { to: string | null }) => it.to)[0],
      60_000,
    )
    expect(absences).toMatchObject({ reason: 'Paused' })
  },
  LONG_MS,
)
