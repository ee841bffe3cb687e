// The service as a process with bots in meetings: stopping it through npm, restarting it, and logging for its workers.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { folderForFile } from '../../helpers/for-file.ts'
import { readRecording } from '../../helpers/media/recording.ts'
import { ADA, joinRoom } from '../../helpers/meetings/bot-in-room.ts'
import { startBreakingProxy } from '../../helpers/meetings/broken-page-proxy.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'
import { BY_NPM, startServiceProcess } from '../../helpers/service/service-process.ts'
import { descendantsOf } from '../../helpers/service/worker-processes.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 240_000

const directory = folderForFile('emissary-process-')

async function settings(): Promise<Record<string, string>> {
  return {
    DATA_DIR: directory,
    PORT: String(await freePort()),
    BOOTSTRAP_API_KEY: API_KEY,
    BOT_WORKERS: '1',
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
}

async function send(url: string): Promise<string> {
  const { status, body } = await clientOf(url, API_KEY)('POST', '/api/v1/bots/create_bot', { meeting_link: `${url}/room/standup` })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.bot_id
}

const recordingOf = (id: string) => readRecording(join(directory, 'recordings', id))
const lastMs = (id: string) => Math.max(0, ...recordingOf(id).tracks.flatMap(({ segments }) => segments.map(({ endMs }) => endMs)))

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

test(
  'stops within ten seconds when npm is killed, keeps the recording, and continues it after a restart',
  async () => {
    const same = await settings()
    const first = await startServiceProcess(same, BY_NPM)
    const before = await joinRoom(`${first.url}/room/standup`, ADA)
    const id = await send(first.url)
    await until('three seconds are recorded', () => lastMs(id) > 3_000, 60_000)

    const started = [first.pid, ...descendantsOf(first.pid)]
    const killedAt = Date.now()
    process.kill(first.pid, 'SIGTERM')
    await until('all processes are gone', () => started.every((pid) => commandOf(pid) === ''), 10_000)
    const beginning = recordingOf(id).facts.find(({ fact }) => fact === 'started')
    expect(beginning?.fact).toBe('started')
    const recordedMs = killedAt - Date.parse(beginning?.fact === 'started' ? beginning.wallClock : '')
    expect(lastMs(id)).toBeGreaterThan(recordedMs - 2_000)
    expect(recordingOf(id).facts.at(-1)?.fact).toBe('ended')
    await before.stop()

    const second = await startServiceProcess(same, BY_NPM)
    await joinRoom(`${second.url}/room/standup`, ADA)
    const gap = () => recordingOf(id).facts.find(({ fact }) => fact === 'gap')
    await until(
      'the bot records again',
      () => {
        const found = gap()
        return found?.fact === 'gap' && lastMs(id) > found.toMs
      },
      60_000,
    )
    const api = clientOf(second.url, API_KEY)
    await api('GET', `/api/v1/bots/${id}/remove_bot`)
    const isDone = async () => 'Done' in (await api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details.StatusTimeline
    await until('the recording is processed', isDone, 90_000)
    process.kill(second.pid, 'SIGTERM')
    await until('npm is gone', () => commandOf(second.pid) === '', 10_000)
  },
  LONG_MS,
)

test(
  'logs missing media and an ended browser with the worker’s pid and the bot’s id',
  async () => {
    const given = await settings()
    const proxy = await startBreakingProxy(Number(given.PORT))
    onTestFinished(() => proxy.close())
    const service = await startServiceProcess({ ...given, PUBLIC_URL: proxy.url })
    await joinRoom(`${proxy.url}/room/standup`, ADA)
    const id = await send(proxy.url)
    const logged = (message: string) =>
      until(
        `the log says: ${message}`,
        () => {
          const line = service
            .said()
            .split('\n')
            .find((it) => it.includes(message))
          return line && JSON.parse(line)
        },
        60_000,
      )
    const workers = () => descendantsOf(service.pid).filter((pid) => commandOf(pid).includes('src/bot/worker/main.ts'))
    const problem = await logged('media of a meeting is lost')
    expect(problem).toMatchObject({
      level: 40,
      workerPid: workers()[0],
      botId: id,
      detail: expect.stringContaining('capture: transform: '),
    })
    const api = clientOf(service.url, API_KEY)
    const evidence = await until(
      'evidence is kept',
      async () => {
        const { Evidence } = (await api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
        return Evidence.find(({ step }: { step: string }) => step === 'capture')
      },
      30_000,
    )
    expect(evidence).toMatchObject({ code: 'capture_failed', message: 'A part of the meeting could not be recorded' })

    const [browserPid = 0] = descendantsOf(workers()[0] ?? 0)
    process.kill(browserPid, 'SIGKILL')
    expect(await logged('the browser of a worker ended')).toMatchObject({ workerPid: problem.workerPid })
    expect(service.said()).not.toContain('/room/standup')
    await service.stop()
  },
  LONG_MS,
)
