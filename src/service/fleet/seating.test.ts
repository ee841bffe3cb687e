import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import { type Host, newHost } from './host.ts'
import type { HostSandbox } from './host-sandbox.ts'
import type { HostProcess } from './keeper-client.ts'
import { chooseSeat, missingWarmHosts } from './seating.ts'

const [A, B] = ['ws_a', 'ws_b'] as [WorkspaceId, WorkspaceId]
const OPTIONS = { seatsPerHost: 2, mostHosts: 2, warmHosts: 1, shareBrowsers: false }

/** A host without a process. */
function host(workspace: WorkspaceId | null, bots: number, killedFor: readonly BotId[] | null = null): Host {
  const it = Object.assign(newHost({} as HostProcess, {} as HostSandbox), { workspace, killedFor })
  for (let bot = 0; bot < bots; bot++)
    it.bots.set(`bot_${bot}` as BotId, { sinceMs: 0, fence: 1, silentTicks: 0, missedBeats: 0, onGone: [] })
  return it
}

/** The choice, with the host as its position in the list. */
function choice(hosts: readonly Host[], shareBrowsers = false) {
  const chosen = chooseSeat(hosts, A, { ...OPTIONS, shareBrowsers })
  if (chosen.kind === 'sit') return `sit in ${hosts.indexOf(chosen.host)}`
  return chosen.kind === 'replace' ? `replace ${hosts.indexOf(chosen.idle)}` : chosen.kind
}

test.each([
  ['starts the first host', [], 'start'],
  ['prefers the host of the workspace to a new one', [host(null, 0), host(A, 1)], 'sit in 1'],
  ['takes an unused host', [host(B, 1), host(null, 0)], 'sit in 1'],
  ['starts a host beside one of another workspace', [host(B, 1)], 'start'],
  ['starts a host beside a full one', [host(A, 2)], 'start'],
  ['does not sit in a host that is being killed', [host(A, 1, [])], 'start'],
  ['replaces an idle host of another workspace', [host(A, 2), host(B, 0)], 'replace 1'],
  ['finds no seat while all hosts serve other workspaces', [host(B, 1), host(B, 1)], 'full'],
  ['does not replace a host that is being killed', [host(A, 2), host(B, 0, [])], 'full'],
] as const)('%s', (_, hosts, expected) => {
  expect(choice(hosts)).toBe(expected)
})

test('sits beside bots of another workspace when browsers are shared', () => {
  expect(choice([host(B, 2), host(B, 1)], true)).toBe('sit in 1')
})

test('keeps one host warm, unless the node has no place for it', () => {
  const missing = (...hosts: Host[]) => missingWarmHosts(hosts, OPTIONS)
  expect([missing(), missing(host(A, 1)), missing(host(null, 0)), missing(host(A, 2), host(B, 1))]).toEqual([1, 1, 0, 0])
  expect(missingWarmHosts([host(A, 1)], { ...OPTIONS, shareBrowsers: true })).toBe(0)
})
