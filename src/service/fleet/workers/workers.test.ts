// Seats by workspace: the workers that a bot may sit in, and the number of seats for a workspace.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ordersFor } from '../../../../test/helpers/service/fleet.ts'
import { workerProcesses } from '../../../../test/helpers/service/worker-processes.ts'
import { until } from '../../../../test/helpers/until.ts'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { BotOrders, FromWorker, ToWorker } from '../../../domain/protocol.ts'
import { createLog } from '../../../kit/log.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { WorkerEvent } from './keeper.ts'
import { KeeperClient, keepInThisThread, type WorkerProcess } from './keeper-client.ts'
import { forkWorker, launchOf } from './worker-process.ts'
import { openSandboxes, type WorkerSandbox } from './worker-sandbox.ts'
import { Workers } from './workers.ts'

const [A, B, C] = ['ws_a', 'ws_b', 'ws_c'] as [WorkspaceId, WorkspaceId, WorkspaceId]

/** Workers whose browser does not start, so that their bots are lost. */
async function bench(shareBrowsers: boolean, warmWorkers = 0) {
  const lost: string[] = []
  const dataFolder = await mkdtemp(join(tmpdir(), 'emissary-workers-'))
  const recordings = join(dataFolder, 'recordings')
  const sandboxes = await openSandboxes({ dataFolder, recordings, weights: dataFolder, reads: [], secrets: [], random: Math.random })
  const ended: string[] = []
  const log = createLog({ level: 'silent', pretty: false })
  const link = keepInThisThread({ renew: async () => new Set(), outage: null, fork: forkWorker })
  const keeper = new KeeperClient(link, { log, onRenewed: () => undefined })
  const workers = new Workers({
    seatsPerWorker: 2,
    mostWorkers: 2,
    warmWorkers,
    shareBrowsers,
    sandboxes,
    startProcess: (sandbox) =>
      keeper.startWorker(launchOf('worker', { browserMode: 'headless', chromium: '/bin/false', chromiumFlags: [], sandbox })),
    log,
    onReport: (report) => report.kind === 'lost' && ended.push(report.botId),
    onLost: ({ botId }, reason) => lost.push(`${botId} ${reason}`),
  })
  onTestFinished(async () => {
    await workers.stop()
    await keeper.stop()
    await sandboxes.close()
    await rm(dataFolder, { recursive: true })
  })
  const place = (id: string, workspace: WorkspaceId, holdMs = 60_000) =>
    workers.place(ordersFor({ botId: id as BotId, folder: join(recordings, id) }), workspace, monotonicMs() + holdMs)
  return { workers, ended, lost, place }
}

/** A worker without a process, whose messages the test sends. */
async function fakeBench() {
  const listeners: ((event: WorkerEvent) => void)[] = []
  const sent: ToWorker[] = []
  const none = () => undefined
  const startProcess = (): WorkerProcess => ({
    pid: null,
    hasExited: true,
    send: (message: ToWorker) => void sent.push(message),
    disconnect: none,
    kill: none,
    onEvent: (listen) => void listeners.push(listen),
  })
  const sandbox = { environment: {}, changeOwner: none, leave: async () => undefined } as unknown as WorkerSandbox
  const workers = new Workers({
    seatsPerWorker: 2,
    mostWorkers: 2,
    warmWorkers: 0,
    shareBrowsers: true,
    startProcess,
    onReport: none,
    onLost: none,
    sandboxes: { shared: null, take: () => sandbox, close: async () => undefined },
    log: createLog({ level: 'silent', pretty: false }),
  })
  onTestFinished(() => void workers.stop())
  const place = (id: string) => workers.place({ botId: id as BotId, fence: 1, folder: '' } as BotOrders, A, monotonicMs() + 60_000)
  const say = (message: FromWorker) => {
    for (const listen of listeners) listen({ kind: 'message', message })
  }
  return { workers, sent, place, say }
}

test('seats bots of different workspaces in different workers, and refuses a workspace when no worker is left', async () => {
  const { workers, ended, place } = await bench(false)
  expect(workers.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  place('a1', A)
  expect(workers.freeSeats()).toEqual({ open: 1, seatsPerBrowser: 2, own: new Map([[A, 1]]) })
  place('b1', B)
  expect(workers.freeSeats()).toEqual({
    open: 0,
    seatsPerBrowser: 2,
    own: new Map([
      [A, 1],
      [B, 1],
    ]),
  })
  expect(() => place('c1', C)).toThrow('No worker has a free seat')
  expect(workers.has('c1' as BotId)).toBe(false)

  const first = workerProcesses()
  expect(first).toHaveLength(2)
  await until('both bots have ended', () => ended.length === 2, 30_000)
  // A worker that has served a workspace exits, and another workspace gets a new one.
  expect(workers.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  expect(workers.seats()).toEqual({ seats: 4, freeSeats: 4, freedSeats: 2 })
  await until('both workers have ended', () => !workerProcesses().some((pid) => first.includes(pid)), 30_000)
})

test('seats bots of all workspaces in one worker when browsers are shared', async () => {
  const { workers, place } = await bench(true)
  place('a1', A)
  place('b1', B)
  expect(workerProcesses()).toHaveLength(1)
  expect(workers.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 1, own: new Map() })
})

test('keeps a browser for its workspace, and replaces it when another workspace needs its place', async () => {
  const { workers, ended, place } = await bench(false, 1)
  place('a1', A)
  place('b1', B)
  await until('both bots have ended', () => ended.length === 2, 30_000)
  const [first, second] = workerProcesses()
  expect(workers.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  place('a2', A)
  place('a3', A)
  expect(workerProcesses()).toEqual([first, second])
  place('c1', C)
  expect(workers.freeSeats().open).toBe(0)
  await until('the browser of the other workspace has ended', () => !workerProcesses().includes(second ?? 0), 30_000)
})

test('does not seat a bot whose claim may have lapsed', async () => {
  const { workers, place } = await bench(false)
  expect(() => place('a1', A, -1)).toThrow('lapsed')
  expect(workers.bots()).toEqual([])
})

test('does not seat a bot again before its earlier session has ended here', async () => {
  const { workers, lost, place } = await bench(true)
  place('a1', A)
  expect(() => place('a1', A)).toThrow('earlier session')
  expect(workers.bots()).toHaveLength(1)
  workers.evict('a1' as BotId)
  place('a1', A)
  expect(workers.bots()).toHaveLength(1)
  expect(lost).toEqual([])
})

test('kills a worker that falls silent, and reports its bot as lost', async () => {
  const { workers, lost, place } = await bench(false)
  place('a1', A)
  const [pid = 0] = workerProcesses()
  process.kill(pid, 'SIGSTOP')
  const left = workers.leave('a1' as BotId, 'Removed on request', 30_000)
  for (let tick = 0; tick < 60; tick++) workers.tick()
  // Its session ended, but the bot did not: it would be sent again.
  expect(await left).toBe(false)
  await until('the bot is lost', () => lost.length === 1, 30_000)
  expect(lost).toEqual(['a1 WorkerLost'])
  expect(workers.bots()).toEqual([])
})

test('reports a machine as starved for ten seconds after a worker has said so', async () => {
  const { workers, place, say } = await fakeBench()
  place('a1')
  say({ kind: 'alive', bots: ['a1' as BotId], isStarved: false })
  expect(workers.isStarved()).toBe(false)
  say({ kind: 'alive', bots: ['a1' as BotId], isStarved: true })
  expect(workers.isStarved()).toBe(true)
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(process.hrtime.bigint() + 10_001_000_000n)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(workers.isStarved()).toBe(false)
})

test('repeats the id of a command that was not confirmed to its worker, and sends one that was answered no more', async () => {
  const { workers, sent, place, say } = await fakeBench()
  place('a1')
  const performed = () => sent.filter((it) => it.kind === 'perform')
  const perform = () => workers.perform('a1' as BotId, 'cmd_1', { kind: 'take_screenshot' })
  const [first, joined] = [perform(), perform()]
  expect(await first).toMatchObject({ code: 'bot_unreachable', message: 'The bot did not confirm in time' })
  expect(await joined).toEqual(await first)
  const second = perform()
  const problem = { fault: 'bot', code: 'control_failed', message: 'The page did not react' } as const
  say({ kind: 'performed', requestId: performed()[1]?.requestId ?? '', problem })
  expect([await second, await perform()]).toEqual([problem, problem])
  expect(performed().map(({ commandId }) => commandId)).toEqual(['cmd_1', 'cmd_1'])
})
