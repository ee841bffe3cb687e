// The workspace's bots: live, and filtered by name, link, attribute, status or platform.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef, useState } from 'react'
import * as api from '../api/sdk.gen.ts'
import type { BotRecord, ListBotsData } from '../api/types.gen.ts'
import { ATTRIBUTE, type BotSearch } from '../bot-search.ts'
import { ask } from '../service.ts'
import { useWorkspace } from '../session.ts'
import { Values } from '../ui/form.tsx'
import { Await, Empty } from '../ui/states.tsx'
import { PLATFORMS, STATUS_WORDS, Status, When } from '../ui/status.tsx'

const FROM = '/w/$workspace/bots'
const PAGE = 100
const ROW_HEIGHT = 76
const TYPING_PAUSE_MS = 250

/** Attributes match by name and value. Other text matches a part of the bot's name or link. */
function queryOf({ q = '', status, platform }: BotSearch): ListBotsData['query'] {
  const isLink = /^https?:/.test(q)
  const attributes = isLink ? [] : [...q.matchAll(ATTRIBUTE)].map(([, name, value]) => [encodeURIComponent(`custom_attr[${name}]`), value])
  const search = isLink ? q : q.replaceAll(ATTRIBUTE, '').trim()
  return { limit: PAGE, status, platform, search: search || undefined, ...Object.fromEntries(attributes) }
}

export function Bots() {
  const search = useSearch({ from: FROM })
  const { workspace_id } = useWorkspace()
  const list = useInfiniteQuery({
    queryKey: [workspace_id, 'bots', search],
    queryFn: ({ pageParam }) => ask(api.listBots({ query: { ...queryOf(search), ...(pageParam && { cursor: pageParam }) } })),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (before) => before,
  })
  const isFiltered = Object.values(search).some(Boolean)
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1>Bots</h1>
        <Link to="/w/$workspace/send" params={{ workspace: workspace_id }} className="button button-main">
          Send a bot
        </Link>
      </div>
      <Filters />
      <Await query={list}>
        {({ pages }) => {
          const bots = pages.flatMap((page) => page.bots)
          if (bots.length === 0) return isFiltered ? <NothingFound /> : <NoBots />
          return <Rows bots={bots} onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()} />
        }}
      </Await>
    </>
  )
}

function Filters() {
  const shown = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const [typed, setTyped] = useState(shown.q ?? '')
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(pause.current), [])
  const set = (change: BotSearch) => void navigate({ search: (before: BotSearch) => ({ ...before, ...change }), replace: true })
  // Only typing may navigate: a navigation cancels the one of a link that was clicked meanwhile.
  const search = (text: string) => {
    setTyped(text)
    clearTimeout(pause.current)
    pause.current = setTimeout(() => set({ q: text || undefined }), TYPING_PAUSE_MS)
  }
  const filter = (name: 'status' | 'platform', label: string, all: string, labels: Readonly<Record<string, string>>) => (
    <select
      aria-label={label}
      className="field"
      value={shown[name] ?? ''}
      onChange={({ target }) => set({ [name]: target.value || undefined })}
    >
      <option value="">{all}</option>
      <Values of={Object.keys(labels)} labels={labels} />
    </select>
  )
  return (
    <search className="mt-6 mb-4 grid grid-cols-2 gap-2 md:grid-cols-[1fr_12rem_12rem]">
      <input
        aria-label="Search"
        type="search"
        className="field col-span-2 md:col-span-1"
        placeholder="Name, link, or attribute such as team:sales"
        value={typed}
        onChange={({ target }) => search(target.value)}
      />
      {filter('status', 'Status', 'All statuses', STATUS_WORDS)}
      {filter('platform', 'Platform', 'All platforms', PLATFORMS)}
    </search>
  )
}

/** Only visible rows are in the document, however long the list is. */
function Rows({ bots, onEnd }: { bots: readonly BotRecord[]; onEnd: () => void }) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useWindowVirtualizer({
    count: bots.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: frame.current?.offsetTop ?? 0,
  })
  const items = rows.getVirtualItems()
  const isAtEnd = (items.at(-1)?.index ?? 0) >= bots.length - 20
  useEffect(() => {
    if (isAtEnd) onEnd()
  }, [isAtEnd, onEnd])
  return (
    <div ref={frame} className="card overflow-hidden">
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {items.map(({ key, index, start, size }) => {
          const bot = bots[index]
          return (
            bot && (
              <li
                key={key}
                aria-setsize={bots.length}
                aria-posinset={index + 1}
                className="border-line absolute inset-x-0 top-0 border-b"
                style={{ height: size, transform: `translateY(${start - rows.options.scrollMargin}px)` }}
              >
                <Row bot={bot} />
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}

/** Memoised: scrolling adds rows without rendering the others. */
const Row = memo(function Row({ bot }: { bot: BotRecord }) {
  const { workspace_id } = useWorkspace()
  const attributes = Object.entries(bot.custom_attributes).slice(0, 3)
  return (
    <Link
      to="/w/$workspace/bots/$bot"
      params={{ workspace: workspace_id, bot: bot.bot_id }}
      className="hover:bg-accent-wash/50 grid h-full grid-cols-[1fr_auto] items-center gap-x-4 px-4 -outline-offset-2 transition-colors md:grid-cols-[minmax(0,1fr)_13rem_8rem_7rem] md:px-5"
    >
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <span className="truncate font-medium">{bot.bot_name}</span>
          {attributes.map(([name, value]) => (
            <span key={name} className="bg-sunk text-soft hidden max-w-36 truncate rounded-md px-1.5 py-0.5 text-xs lg:inline">
              {name}: {typeof value === 'object' ? '…' : String(value)}
            </span>
          ))}
        </span>
        <span className="text-soft block truncate text-[13px]">{bot.meeting_url.replace(/^https?:\/\//, '').replace(/\?.*$/, '')}</span>
      </span>
      <Status status={bot.status} />
      <span className="text-soft hidden truncate text-sm md:block">{PLATFORMS[bot.platform] ?? bot.platform}</span>
      <span className="text-soft hidden text-right text-sm md:block">
        <When at={bot.ScheduledJoinTime ?? bot.created_at} />
      </span>
    </Link>
  )
})

function NoBots() {
  const { workspace_id } = useWorkspace()
  const params = { workspace: workspace_id }
  const action = (
    <>
      <Link to="/w/$workspace/send" params={params} className="button button-main">
        Send your first bot
      </Link>
      <Link to="/w/$workspace/try" params={params} className="button">
        Try it now
      </Link>
    </>
  )
  return (
    <Empty title="No bots yet" action={action}>
      A bot joins a meeting as a visible participant, records it and writes down what was said.
    </Empty>
  )
}

function NothingFound() {
  return (
    <Empty
      title="Nothing found"
      action={
        <Link from={FROM} search={{}} className="button">
          Show all bots
        </Link>
      }
    >
      No bot fits the search and the filters.
    </Empty>
  )
}
