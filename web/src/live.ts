// What happens to bots comes by itself: lists change in place, and whatever shows the bot is asked for again.
import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveEvent } from '../../src/service/api/schemas/dashboard.ts'
import type { BotList } from './api/types.gen.ts'

export function useLiveBots(workspace: string): void {
  const queries = useQueryClient()
  useEffect(() => {
    const source = new EventSource(`/dashboard/v1/workspaces/${workspace}/live`)
    let wasOpen = false
    source.onopen = () => {
      // What happened while the connection was gone was not told.
      if (wasOpen) void queries.invalidateQueries({ queryKey: [workspace] })
      wasOpen = true
    }
    source.onmessage = ({ data }) => apply(queries, workspace, JSON.parse(data))
    return () => source.close()
  }, [queries, workspace])
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
  void queries.invalidateQueries({ queryKey: [workspace, 'bot', bot_id] })
}
