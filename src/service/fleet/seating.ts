// Decides which host a new bot sits in. Unless browsers are shared, a host serves one workspace for its whole life.
import type { WorkspaceId } from '../../domain/bot.ts'
import type { FreeSeats } from '../db/claims.ts'
import { type Host, isIdle } from './host.ts'

export type SeatingOptions = {
  readonly seatsPerHost: number
  readonly mostHosts: number
  /** The number of hosts with a free seat and an open browser. */
  readonly warmHosts: number
  /** Lets bots of different workspaces share one browser. */
  readonly shareBrowsers: boolean
}

export type SeatChoice =
  | { readonly kind: 'sit'; readonly host: Host }
  | { readonly kind: 'start' }
  /** A new host takes the place of an idle one of another workspace. */
  | { readonly kind: 'replace'; readonly idle: Host }
  | { readonly kind: 'full' }

/** Prefers a host that already serves the workspace over a new one. */
export function chooseSeat(hosts: readonly Host[], workspace: WorkspaceId, options: SeatingOptions): SeatChoice {
  const { mostHosts, shareBrowsers } = options
  const open = withSeat(hosts, options).filter((it) => shareBrowsers || it.workspace === null || it.workspace === workspace)
  const host = open.find((it) => it.workspace === workspace) ?? open[0]
  if (host) return { kind: 'sit', host }
  if (hosts.length < mostHosts) return { kind: 'start' }
  const idle = hosts.find(isIdle)
  return idle && hosts.length === mostHosts ? { kind: 'replace', idle } : { kind: 'full' }
}

export function freeSeats(hosts: readonly Host[], options: SeatingOptions): FreeSeats {
  const { mostHosts, seatsPerHost, shareBrowsers } = options
  const taken = hosts.reduce((sum, { bots }) => sum + bots.size, 0)
  // With shared browsers, every seat takes a bot of any workspace.
  if (shareBrowsers) return { open: Math.max(0, mostHosts * seatsPerHost - taken), seatsPerBrowser: 1, own: new Map() }
  const own = new Map<WorkspaceId, number>()
  for (const { workspace, bots } of withSeat(hosts, options))
    if (workspace && bots.size > 0) own.set(workspace, (own.get(workspace) ?? 0) + seatsPerHost - bots.size)
  // An idle host is replaced when another workspace needs its place.
  return { open: Math.max(0, mostHosts - hosts.length) + hosts.filter(isIdle).length, seatsPerBrowser: seatsPerHost, own }
}

/** How many hosts to start, so that the next bots find an open browser. */
export function missingWarmHosts(hosts: readonly Host[], options: SeatingOptions): number {
  const { mostHosts, warmHosts, shareBrowsers } = options
  const warm = withSeat(hosts, options).filter((it) => shareBrowsers || isIdle(it)).length
  return Math.max(0, Math.min(warmHosts - warm, mostHosts - hosts.length))
}

function withSeat(hosts: readonly Host[], { seatsPerHost }: SeatingOptions): readonly Host[] {
  return hosts.filter(({ bots, killedFor }) => killedFor === null && bots.size < seatsPerHost)
}
