// Decides which worker a new bot sits in. Unless browsers are shared, a worker serves one workspace for its whole life.
import type { WorkspaceId } from '../../../domain/bot.ts'
import type { FreeSeats } from '../../db/fleet/claims.ts'
import { isIdle, type Worker } from './worker.ts'

export type SeatingOptions = {
  readonly seatsPerWorker: number
  readonly mostWorkers: number
  /** The number of workers with a free seat and an open browser. */
  readonly warmWorkers: number
  /** Lets bots of different workspaces share one browser. */
  readonly shareBrowsers: boolean
}

export type SeatChoice =
  | { readonly kind: 'sit'; readonly worker: Worker }
  | { readonly kind: 'start' }
  /** A new worker takes the place of an idle one of another workspace. */
  | { readonly kind: 'replace'; readonly idle: Worker }
  | { readonly kind: 'full' }

/** Prefers a worker that already serves the workspace over a new one. */
export function chooseSeat(workers: readonly Worker[], workspace: WorkspaceId, options: SeatingOptions): SeatChoice {
  const { mostWorkers, shareBrowsers } = options
  const open = withSeat(workers, options).filter((it) => shareBrowsers || it.workspace === null || it.workspace === workspace)
  const worker = open.find((it) => it.workspace === workspace) ?? open[0]
  if (worker) return { kind: 'sit', worker }
  if (workers.length < mostWorkers) return { kind: 'start' }
  const idle = workers.find(isIdle)
  return idle && workers.length === mostWorkers ? { kind: 'replace', idle } : { kind: 'full' }
}

export function freeSeats(workers: readonly Worker[], options: SeatingOptions): FreeSeats {
  const { mostWorkers, seatsPerWorker, shareBrowsers } = options
  const taken = workers.reduce((sum, { bots }) => sum + bots.size, 0)
  // With shared browsers, every seat takes a bot of any workspace.
  if (shareBrowsers) return { open: Math.max(0, mostWorkers * seatsPerWorker - taken), seatsPerBrowser: 1, own: new Map() }
  const own = new Map<WorkspaceId, number>()
  for (const { workspace, bots } of withSeat(workers, options))
    if (workspace && bots.size > 0) own.set(workspace, (own.get(workspace) ?? 0) + seatsPerWorker - bots.size)
  // An idle worker is replaced when another workspace needs its place.
  return { open: Math.max(0, mostWorkers - workers.length) + workers.filter(isIdle).length, seatsPerBrowser: seatsPerWorker, own }
}

/** How many workers to start, so that the next bots find an open browser. */
export function missingWarmWorkers(workers: readonly Worker[], options: SeatingOptions): number {
  const { mostWorkers, warmWorkers, shareBrowsers } = options
  const warm = withSeat(workers, options).filter((it) => shareBrowsers || isIdle(it)).length
  return Math.max(0, Math.min(warmWorkers - warm, mostWorkers - workers.length))
}

function withSeat(workers: readonly Worker[], { seatsPerWorker }: SeatingOptions): readonly Worker[] {
  return workers.filter(({ bots, killedFor }) => killedFor === null && bots.size < seatsPerWorker)
}
