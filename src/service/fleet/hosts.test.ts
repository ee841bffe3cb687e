// Seats by workspace: which host a bot may sit in, and how many seats a workspace finds.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { specFor } from '../../../test/helpers/fleet.ts'
import { hostProcesses } from '../../../test/helpers/host-processes.ts'
import { until } from '../../../test/helpers/until.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { BotOrders } from '../../domain/protocol.ts'
import { createLog } from '../../kit/log.ts'
import { openQuarters } from './host-quarters.ts'
import { Hosts, NoSeat } from './hosts.ts'

const [A, B, C] = ['ws_a', 'ws_b', 'ws_c'] as [WorkspaceId, WorkspaceId, WorkspaceId]

/** Hosts whose browser does not start: a bot in them comes back as broken. */
async function bench(shareBrowsers: boolean) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'emissary-hosts-'))
  const recordings = join(dataFolder, 'recordings')
  const quarters = await openQuarters({ dataFolder, recordings, weights: dataFolder, reads: [], secrets: [], random: Math.random })
  const ended: string[] = []
  const hosts = new Hosts({
    ...{ seatsPerHost: 2, mostHosts: 2, warmHosts: 0, chromium: '/bin/false', chromiumFlags: [], shareBrowsers, quarters },
    log: createLog({ level: 'silent', pretty: false }),
    onReport: (report) => report.kind === 'broken' && ended.push(report.botId),
    onLost: () => undefined,
  })
  onTestFinished(async () => {
    await hosts.stop()
    await quarters.close()
    await rm(dataFolder, { recursive: true })
  })
  const spec = specFor('https://meet.google.com/abc-defg-hij')
  const ordersFor = (id: string): BotOrders => ({
    ...{ botId: id as BotId, fence: 1, spec, folder: join(recordings, id), allowPrivateUrls: false },
    ...{ customAttributes: {}, words: null, signIn: null, voice: null },
  })
  return { hosts, ended, place: (id: string, workspace: WorkspaceId) => hosts.place(ordersFor(id), workspace) }
}

test('seats bots of different workspaces in different hosts, and refuses a workspace for which there is none left', async () => {
  const { hosts, ended, place } = await bench(false)
  expect([hosts.freeSeats(), hosts.freeSeatsFor(A)]).toEqual([4, 4])
  place('a1', A)
  expect([hosts.freeSeatsFor(A), hosts.freeSeatsFor(B)]).toEqual([3, 2])
  place('b1', B)
  expect([hosts.freeSeatsFor(A), hosts.freeSeatsFor(B), hosts.freeSeatsFor(C), hosts.freeSeats()]).toEqual([1, 1, 0, 2])
  expect([hosts.hasSeatFor(A), hosts.hasSeatFor(C)]).toEqual([true, false])
  expect(() => place('c1', C)).toThrow(NoSeat)
  expect(hosts.has('c1' as BotId)).toBe(false)

  const first = hostProcesses()
  expect(first).toHaveLength(2)
  await until('both bots are out', () => ended.length === 2, 30_000)
  // A host that has served a workspace ends; another workspace gets a new one.
  expect(hosts.freeSeatsFor(C)).toBe(4)
  await until('both hosts have ended', () => !hostProcesses().some((pid) => first.includes(pid)), 30_000)
})

test('seats bots of all workspaces side by side where browsers are shared', async () => {
  const { hosts, place } = await bench(true)
  place('a1', A)
  place('b1', B)
  expect(hostProcesses()).toHaveLength(1)
  expect([hosts.freeSeatsFor(C), hosts.freeSeats()]).toEqual([2, 2])
})
