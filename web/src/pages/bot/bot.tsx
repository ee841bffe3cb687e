// The page of one bot.
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { BotDetails } from '../../api/types.gen.ts'
import { useWorkspace } from '../../session.ts'
import { Await, Loading } from '../../ui/states.tsx'
import { clock, isLive, PLATFORMS, Status, When } from '../../ui/status.tsx'
import { Controls } from './controls.tsx'
import { detailQuery, type Place } from './data.ts'
import { Downloads } from './downloads.tsx'
import { Deliveries, Evidence, Screenshots } from './events.tsx'
import { Chat, People } from './people.tsx'
import { Timeline } from './timeline.tsx'

/** Loaded on demand: the player and the waveforms are large, and most visits do not need them. */
const RecordingView = lazy(() => import('./recording.tsx').then(({ RecordingView: it }) => ({ default: it })))

export function BotPage() {
  const { workspace_id } = useWorkspace()
  const { bot } = useParams({ from: '/w/$workspace/bots/$bot' })
  const place = { workspace: workspace_id, bot }
  const detail = useQuery(detailQuery(place))
  return <Await query={detail}>{(it) => <Details place={place} bot={it} />}</Await>
}

function Details({ place, bot }: { place: Place; bot: BotDetails }) {
  // The player opens once, with all files.
  const hasMedia = bot.Status !== 'MediaProcessing' && (bot.AudioStatus === 'Success' || bot.VideoStatus === 'Success')
  return (
    <div className="flex flex-col gap-10">
      <Head place={place} bot={bot} />
      {isLive(bot.Status) && <Controls place={place} bot={bot} />}
      {hasMedia && (
        <Suspense fallback={<Loading label="Loading the player" />}>
          <RecordingView place={place} bot={bot} />
        </Suspense>
      )}
      <Timeline bot={bot} />
      <Evidence bot={bot} />
      <div className="grid gap-10 lg:grid-cols-2">
        <People place={place} />
        <Chat place={place} />
      </div>
      <Screenshots place={place} />
      <Deliveries place={place} />
      <Downloads place={place} bot={bot} hasMedia={hasMedia} />
    </div>
  )
}

function Head({ place, bot }: { place: Place; bot: BotDetails }) {
  const facts = [
    PLATFORMS[bot.Platform] ?? bot.Platform,
    bot.Duration === null ? null : `${clock(bot.Duration)} in the meeting`,
    bot.delivered.words > 0 ? `${bot.delivered.words} words` : null,
  ].filter(Boolean)
  return (
    <header>
      <Link to="/w/$workspace/bots" params={place} className="text-soft hover:text-ink text-sm">
        ← Bots
      </Link>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1>{bot.BotUsername}</h1>
        <span className="border-line bg-sheet rounded-full border px-3 py-1">
          <Status status={bot.Status} />
        </span>
      </div>
      <p className="text-soft mt-2">
        {facts.join(' · ')} · <When at={bot.ScheduledJoinTime ?? bot.CreatedAt} />
      </p>
      <p className="mt-1 truncate">
        <a className="link" href={bot.MeetingLink} target="_blank" rel="noreferrer">
          {bot.MeetingLink.replace(/^https?:\/\//, '')}
        </a>
      </p>
      <Attributes attributes={bot.custom_attributes} />
      {bot.Queue && (
        <p role="status" className="bg-accent-wash mt-4 rounded-lg px-3 py-2 text-sm">
          Waiting for a free seat: place {bot.Queue.position}.
        </p>
      )}
      {bot.ErrorReason && (
        <p role="alert" className="bg-bad-wash text-bad mt-4 rounded-lg px-3 py-2 text-sm">
          {bot.Message}
        </p>
      )}
    </header>
  )
}

function Attributes({ attributes }: { attributes: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(attributes)
  if (entries.length === 0) return null
  return (
    <ul aria-label="Attributes" className="mt-3 flex flex-wrap gap-1.5">
      {entries.map(([name, value]) => (
        <li key={name} className="bg-sunk text-soft rounded-md px-2 py-0.5 text-[13px]">
          {name}: {typeof value === 'object' ? JSON.stringify(value) : String(value)}
        </li>
      ))}
    </ul>
  )
}
