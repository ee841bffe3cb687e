// Pushes the events of a workspace to its open dashboard pages as soon as they are committed.
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { Status } from '../../domain/lifecycle.ts'
import type { Logger } from '../../kit/log.ts'
import { startLoop } from '../../kit/loop.ts'
import type { Db } from '../db/database.ts'
import { readFeed } from '../db/delivery/event-feed.ts'
import { findStatuses } from '../db/fleet/bots.ts'
import type { Metrics } from '../operations/metrics.ts'

/** Events of other nodes are found by polling. Those of this node wake the loop. */
const LOOK_EVERY_MS = 1_000
/** Pause while the feed has more: another page, or events to which another reader gives positions at this moment. */
const MORE_AFTER_MS = 50
const PAGE = 200

type BotEvent = { readonly botId: BotId; readonly event: string; readonly status: Status | null }

type Follower = (botEvents: readonly BotEvent[]) => void

export type Followers = {
  /** Delivers all events from the moment it resolves. Returns the function that ends it. */
  follow(workspace: WorkspaceId, follower: Follower): Promise<() => void>
  wake(): void
  stop(): Promise<void>
}

type Following = { position: number; readonly followers: Set<Follower> }

type FollowersOptions = { readonly db: Db; readonly log: Logger; readonly metrics: Pick<Metrics, 'followers'> }

export function startFollowers({ db, log, metrics }: FollowersOptions): Followers {
  const workspaces = new Map<WorkspaceId, Following>()
  const loop = startLoop({
    async work() {
      let hasMore = false
      for (const [workspace, following] of workspaces) hasMore = (await look(db, workspace, following)) || hasMore
      if (hasMore) return MORE_AFTER_MS
      return workspaces.size > 0 ? LOOK_EVERY_MS : 60_000
    },
    onError: (error) => log.warn({ err: error }, 'events could not be pushed to open pages; it is tried again'),
    retryMs: LOOK_EVERY_MS,
  })
  return {
    async follow(workspace, follower) {
      const { end } = await readFeed(db, workspace, { after: Number.MAX_SAFE_INTEGER, limit: 1 })
      const following = workspaces.get(workspace) ?? { position: end, followers: new Set() }
      following.followers.add(follower)
      metrics.followers.inc()
      workspaces.set(workspace, following)
      loop.wake()
      return () => {
        if (following.followers.delete(follower)) metrics.followers.dec()
        if (following.followers.size === 0) workspaces.delete(workspace)
      }
    },
    wake: () => loop.wake(),
    stop: () => loop.stop(),
  }
}

/** Pushes the next page of events. Returns true if there are more. */
async function look(db: Db, workspace: WorkspaceId, following: Following): Promise<boolean> {
  const { events, hasMore } = await readFeed(db, workspace, { after: following.position, limit: PAGE })
  following.position = events.at(-1)?.position ?? following.position
  if (events.length === 0) return hasMore
  const bodies = events.map(({ body }): { bot_id?: BotId; event: string } => JSON.parse(body))
  const statuses = await findStatuses(db, [...new Set(bodies.flatMap(({ bot_id }) => bot_id ?? []))])
  const botEvents = bodies.flatMap(({ bot_id: botId, event }) =>
    botId ? [{ botId, event, status: statuses.get(botId)?.status ?? null }] : [],
  )
  for (const follower of following.followers) follower(botEvents)
  return hasMore
}
