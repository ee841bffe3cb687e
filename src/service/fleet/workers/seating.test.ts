import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { WorkerProcess } from './keeper-client.ts'
import { chooseSeat, missingWarmWorkers } from './seating.ts'
import { newWorker, type Worker } from './worker.ts'
import type { WorkerSandbox } from './worker-sandbox.ts'

const [A, B] = ['ws_a', 'ws_b'] as [WorkspaceId, WorkspaceId]
const OPTIONS = { seatsPerWorker: 2, mostWorkers: 2, warmWorkers: 1, shareBrowsers: false }

/** A worker without a process. */
function worker(workspace: WorkspaceId | null, bots: number, killedFor: readonly BotId[] | null = null): Worker {
  const it = Object.assign(newWorker({} as WorkerProcess, {} as WorkerSandbox), { workspace, killedFor })
  for (let bot = 0; bot < bots; bot++)
    it.bots.set(`bot_${bot}` as BotId, { sinceMs: 0, joinsUntilMs: 0, fence: 1, silentTicks: 0, missedBeats: 0, onGone: [] })
  return it
}

/** The choice, with the worker as its position in the list. */
function choice(workers: readonly Worker[], shareBrowsers = false) {
  const chosen = chooseSeat(workers, A, { ...OPTIONS, shareBrowsers })
  if (chosen.kind === 'sit') return `sit in ${workers.indexOf(chosen.worker)}`
  return chosen.kind === 'replace' ? `replace ${workers.indexOf(chosen.idle)}` : chosen.kind
}

test.each([
  ['starts the first worker', [], 'start'],
  ['prefers the worker of the workspace to a new one', [worker(null, 0), worker(A, 1)], 'sit in 1'],
  ['takes an unused worker', [worker(B, 1), worker(null, 0)], 'sit in 1'],
  ['starts a worker beside one of another workspace', [worker(B, 1)], 'start'],
  ['starts a worker beside a full one', [worker(A, 2)], 'start'],
  ['does not sit in a worker that is being killed', [worker(A, 1, [])], 'start'],
  ['replaces an idle worker of another workspace', [worker(A, 2), worker(B, 0)], 'replace 1'],
  ['finds no seat while all workers serve other workspaces', [worker(B, 1), worker(B, 1)], 'full'],
  ['does not replace a worker that is being killed', [worker(A, 2), worker(B, 0, [])], 'full'],
] as const)('%s', (_, workers, expected) => {
  expect(choice(workers)).toBe(expected)
})

test('sits beside bots of another workspace when browsers are shared', () => {
  expect(choice([worker(B, 2), worker(B, 1)], true)).toBe('sit in 1')
})

test('keeps one worker warm, unless the node has no place for it', () => {
  const missing = (...workers: Worker[]) => missingWarmWorkers(workers, OPTIONS)
  expect([missing(), missing(worker(A, 1)), missing(worker(null, 0)), missing(worker(A, 2), worker(B, 1))]).toEqual([1, 1, 0, 0])
  expect(missingWarmWorkers([worker(A, 1)], { ...OPTIONS, shareBrowsers: true })).toBe(0)
})
