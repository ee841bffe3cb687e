// Live updates of bots: lists change in place, and other queries about a bot are reloaded.
import { type InfiniteData, onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveEvent } from '../../src/service/api/dashboard/schema.ts'
import type { BotList } from './api/types.gen.ts'
import { reload } from './reload.ts'
import { sessionQuery } from './session.ts'
import { openStream } from './stream.ts'

/** A shorter interruption is not shown. */
const LOST_AFTER_MS = 3_000

/** False while the service cannot be reached. */
export function useLiveBots(workspace: string): boolean {
  const queries = useQueryClient()
  const router = useRouter()
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const receive = createReceiver(queries, workspace)
    let losing: ReturnType<typeof setTimeout> | undefined
    const stream = openStream(`/dashboard/v1/workspaces/${workspace}/live`, {
      onOpen() {
        clearTimeout(losing)
        losing = undefined
        setLost(false)
        // Answers may be older than the stream: events before it opened, or while it was interrupted, were missed.
        void reload(queries, [workspace])
      },
      onMessage: (data) => receive(JSON.parse(data)),
      onError() {
        losing ??= setTimeout(() => setLost(true), LOST_AFTER_MS)
      },
      // The session or the membership may have ended.
      onRefused: () => void reload(queries, sessionQuery.queryKey).then(() => router.invalidate()),
    })
    return () => {
      clearTimeout(losing)
      stream.close()
    }
  }, [queries, router, workspace])
  return isOnline && !isLost
}

export function createReceiver(queries: QueryClient, workspace: string): (event: LiveEvent) => void {
  const queryKey = [workspace, 'bots']
  const reloadLists = inTurn(() => reload(queries, queryKey))
  return ({ bot_id, status }) => {
    // An answer on its way may be older than the event.
    let isShown = queries.isFetching({ queryKey }) === 0
    queries.setQueriesData<InfiniteData<BotList>>({ queryKey, type: 'active' }, (list) => {
      if (!list?.pages.some(({ bots }) => bots.some((bot) => bot.bot_id === bot_id))) {
        isShown = false
        return list
      }
      const changed = (bot: BotList['bots'][number]) => (bot.bot_id === bot_id && status ? { ...bot, status } : bot)
      return { ...list, pages: list.pages.map((page) => ({ ...page, bots: page.bots.map(changed) })) }
    })
    if (!isShown) void reloadLists()
    void queries.invalidateQueries({ queryKey, type: 'inactive' })
    void reload(queries, [workspace, 'bot', bot_id])
  }
}

/** Requests during the work cause one more run, however many they are. A busy workspace would otherwise restart its list forever. */
function inTurn(work: () => Promise<void>): () => Promise<void> {
  let isRequested = false
  let isRunning = false
  return async () => {
    isRequested = true
    if (isRunning) return
    isRunning = true
    while (isRequested) {
      isRequested = false
      await work()
    }
    isRunning = false
  }
}
