// Seats by workspace: the hosts that a bot may sit in, and the number of seats for a workspace.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { specFor } from '../../../test/helpers/fleet.ts'
import { hostProcesses } from '../../../test/helpers/host-processes.ts'
import { until } from '../../../test/helpers/until.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { BotOrders, FromHost, ToHost } from '../../domain/protocol.ts'
import { createLog } from '../../kit/log.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { forkHost, launchOf } from './host-process.ts'
import { type HostSandbox, openSandboxes } from './host-sandbox.ts'
import { Hosts } from './hosts.ts'
import type { HostEvent } from './keeper.ts'
import { type HostProcess, KeeperClient, keepInThisThread } from './keeper-client.ts'

const [A, B, C] = ['ws_a', 'ws_b', 'ws_c'] as [WorkspaceId, WorkspaceId, WorkspaceId]

/** Hosts whose browser does not start, so that their bots are lost. */
async function bench(shareBrowsers: boolean, warmHosts = 0) {
  const lost: string[] = []
  const dataFolder = await mkdtemp(join(tmpdir(), 'emissary-hosts-'))
  const recordings = join(dataFolder, 'recordings')
  const sandboxes = await openSandboxes({ dataFolder, recordings, weights: dataFolder, reads: [], secrets: [], random: Math.random })
  const ended: string[] = []
  const log = createLog({ level: 'silent', pretty: false })
  const link = keepInThisThread({ renew: async () => new Set(), fork: forkHost })
  const keeper = new KeeperClient(link, { log, onRenewed: () => undefined })
  const hosts = new Hosts({
    ...{ seatsPerHost: 2, mostHosts: 2, warmHosts, shareBrowsers, sandboxes },
    startProcess: (sandbox) =>
      keeper.startHost(launchOf('host', { browserMode: 'headless', chromium: '/bin/false', chromiumFlags: [], sandbox })),
    log,
    onReport: (report) => report.kind === 'lost' && ended.push(report.botId),
    onLost: ({ botId }, reason) => lost.push(`${botId} ${reason}`),
  })
  onTestFinished(async () => {
    await hosts.stop()
    await keeper.stop()
    await sandboxes.close()
    await rm(dataFolder, { recursive: true })
  })
  const spec = specFor('https://meet.google.com/abc-defg-hij')
  const ordersFor = (id: string): BotOrders => ({
    ...{ botId: id as BotId, fence: 1, spec, folder: join(recordings, id), allowPrivateUrls: false },
    ...{
      customAttributes: {},
      isGreeted: false,
      words: null,
      signIn: null,
      driver: 'google_meet',
      sdkFolder: null,
      tables: null,
      voice: null,
    },
  })
  const place = (id: string, workspace: WorkspaceId, holdMs = 60_000) => hosts.place(ordersFor(id), workspace, monotonicMs() + holdMs)
  return { hosts, ended, lost, place }
}

/** A host without a process, whose messages the test sends. */
async function fakeBench() {
  const listeners: ((event: HostEvent) => void)[] = []
  const sent: ToHost[] = []
  const none = () => undefined
  const startProcess = (): HostProcess => ({
    ...{ pid: null, hasExited: true, send: (message: ToHost) => void sent.push(message), disconnect: none, kill: none },
    onEvent: (listen) => void listeners.push(listen),
  })
  const sandbox = { environment: {}, changeOwner: none, leave: async () => undefined } as unknown as HostSandbox
  const hosts = new Hosts({
    ...{ seatsPerHost: 2, mostHosts: 2, warmHosts: 0, shareBrowsers: true, startProcess, onReport: none, onLost: none },
    sandboxes: { shared: null, take: () => sandbox, close: async () => undefined },
    log: createLog({ level: 'silent', pretty: false }),
  })
  onTestFinished(() => void hosts.stop())
  const place = (id: string) => hosts.place({ botId: id as BotId, fence: 1, folder: '' } as BotOrders, A, monotonicMs() + 60_000)
  const say = (message: FromHost) => {
    for (const listen of listeners) listen({ kind: 'message', message })
  }
  return { hosts, sent, place, say }
}

test('seats bots of different workspaces in different hosts, and refuses a workspace when no host is left', async () => {
  const { hosts, ended, place } = await bench(false)
  expect(hosts.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  place('a1', A)
  expect(hosts.freeSeats()).toEqual({ open: 1, seatsPerBrowser: 2, own: new Map([[A, 1]]) })
  place('b1', B)
  expect(hosts.freeSeats()).toEqual({
    open: 0,
    seatsPerBrowser: 2,
    own: new Map([
      [A, 1],
      [B, 1],
    ]),
  })
  expect(() => place('c1', C)).toThrow('No bot host has a free seat')
  expect(hosts.has('c1' as BotId)).toBe(false)

  const first = hostProcesses()
  expect(first).toHaveLength(2)
  await until('both bots have ended', () => ended.length === 2, 30_000)
  // A host that has served a workspace exits, and another workspace gets a new one.
  expect(hosts.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  expect(hosts.seats()).toEqual({ seats: 4, freeSeats: 4, freedSeats: 2 })
  await until('both hosts have ended', () => !hostProcesses().some((pid) => first.includes(pid)), 30_000)
})

test('seats bots of all workspaces in one host when browsers are shared', async () => {
  const { hosts, place } = await bench(true)
  place('a1', A)
  place('b1', B)
  expect(hostProcesses()).toHaveLength(1)
  expect(hosts.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 1, own: new Map() })
})

test('keeps a browser for its workspace, and replaces it when another workspace needs its place', async () => {
  const { hosts, ended, place } = await bench(false, 1)
  place('a1', A)
  place('b1', B)
  await until('both bots have ended', () => ended.length === 2, 30_000)
  const [first, second] = hostProcesses()
  expect(hosts.freeSeats()).toEqual({ open: 2, seatsPerBrowser: 2, own: new Map() })
  place('a2', A)
  place('a3', A)
  expect(hostProcesses()).toEqual([first, second])
  place('c1', C)
  expect(hosts.freeSeats().open).toBe(0)
  await until('the browser of the other workspace has ended', () => !hostProcesses().includes(second ?? 0), 30_000)
})

test('does not seat a bot whose claim may have lapsed', async () => {
  const { hosts, place } = await bench(false)
  expect(() => place('a1', A, -1)).toThrow('lapsed')
  expect(hosts.bots()).toEqual([])
})

test('does not seat a bot again before its earlier session has ended here', async () => {
  const { hosts, lost, place } = await bench(true)
  place('a1', A)
  expect(() => place('a1', A)).toThrow('earlier session')
  expect(hosts.bots()).toHaveLength(1)
  hosts.evict('a1' as BotId)
  place('a1', A)
  expect(hosts.bots()).toHaveLength(1)
  expect(lost).toEqual([])
})

test('kills a host that falls silent, and reports its bot as lost', async () => {
  const { hosts, lost, place } = await bench(false)
  place('a1', A)
  const [pid = 0] = hostProcesses()
  process.kill(pid, 'SIGSTOP')
  const left = hosts.leave('a1' as BotId, 'Removed on request', 30_000)
  for (let tick = 0; tick < 60; tick++) hosts.tick()
  // Its session ended, but the bot did not: it would be sent again.
  expect(await left).toBe(false)
  await until('the bot is lost', () => lost.length === 1, 30_000)
  expect(lost).toEqual(['a1 WorkerLost'])
  expect(hosts.bots()).toEqual([])
})

test('reports a machine as starved for ten seconds after a host has said so', async () => {
  const { hosts, place, say } = await fakeBench()
  place('a1')
  say({ kind: 'alive', bots: ['a1' as BotId], isStarved: false })
  expect(hosts.isStarved()).toBe(false)
  say({ kind: 'alive', bots: ['a1' as BotId], isStarved: true })
  expect(hosts.isStarved()).toBe(true)
  vi.spyOn(process.hrtime, 'bigint').mockReturnValue(process.hrtime.bigint() + 10_001_000_000n)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(hosts.isStarved()).toBe(false)
})

test('repeats the id of a command that was not confirmed to its host, and sends one that was answered no more', async () => {
  const { hosts, sent, place, say } = await fakeBench()
  place('a1')
  const performed = () => sent.filter((it) => it.kind === 'perform')
  const perform = () => hosts.perform('a1' as BotId, 'cmd_1', { kind: 'take_screenshot' })
  const [first, joined] = [perform(), perform()]
  expect(await first).toMatchObject({ code: 'bot_unreachable', message: 'The bot did not confirm in time' })
  expect(await joined).toEqual(await first)
  const second = perform()
  const problem = { fault: 'bot', code: 'control_failed', message: 'The page did not react' } as const
  say({ kind: 'performed', requestId: performed()[1]?.requestId ?? '', problem })
  expect([await second, await perform()]).toEqual([problem, problem])
  expect(performed().map(({ commandId }) => commandId)).toEqual(['cmd_1', 'cmd_1'])
})
