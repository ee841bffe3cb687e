// Live updates of bots: lists change in place, and other queries about a bot are invalidated.
import { type InfiniteData, onlineManager, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveEvent } from '../../src/service/api/dashboard/schema.ts'
import type { BotList } from './api/types.gen.ts'
import { reload } from './reload.ts'

/** A shorter interruption is not shown. */
const LOST_AFTER_MS = 3_000

/** False while the service cannot be reached. */
export function useLiveBots(workspace: string): boolean {
  const queries = useQueryClient()
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  )
  const [isLost, setLost] = useState(false)
  useEffect(() => {
    const source = new EventSource(`/dashboard/v1/workspaces/${workspace}/live`)
    let wasOpen = false
    let losing: ReturnType<typeof setTimeout> | undefined
    source.onerror = () => {
      losing ??= setTimeout(() => setLost(true), LOST_AFTER_MS)
    }
    source.onopen = () => {
      clearTimeout(losing)
      losing = undefined
      setLost(false)
      // Events during an interruption were missed, so everything is refetched.
      if (wasOpen) void queries.invalidateQueries({ queryKey: [workspace] })
      wasOpen = true
    }
    source.onmessage = ({ data }) => apply(queries, workspace, JSON.parse(data))
    return () => {
      clearTimeout(losing)
      source.close()
    }
  }, [queries, workspace])
  return isOnline && !isLost
}

function apply(queries: QueryClient, workspace: string, { bot_id, status }: LiveEvent): void {
  let isListed = false
  queries.setQueriesData<InfiniteData<BotList>>({ queryKey: [workspace, 'bots'] }, (list) => {
    if (!list?.pages.some(({ bots }) => bots.some((bot) => bot.bot_id === bot_id))) return list
    isListed = true
    const changed = (bot: BotList['bots'][number]) => (bot.bot_id === bot_id && status ? { ...bot, status } : bot)
    return { ...list, pages: list.pages.map((page) => ({ ...page, bots: page.bots.map(changed) })) }
  })
  if (!isListed) void queries.invalidateQueries({ queryKey: [workspace, 'bots'] })
  void reload(queries, [workspace, 'bot', bot_id])
}
