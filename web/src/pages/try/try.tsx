// Try it now: from nothing to a recording with its transcript on one page.
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { BotDetails } from '../../api/types.gen.ts'
import { useWorkspace } from '../../session.ts'
import { Loading, Problem } from '../../ui/states.tsx'
import { isLive, Status } from '../../ui/status.tsx'
import { Glance } from '../bot/controls.tsx'
import { detailQuery, type Place } from '../bot/data.ts'
import { Watch } from '../bot/watch.tsx'
import { type Progress, play, STEPS } from './trial.ts'

const RecordingView = lazy(() => import('../bot/recording.tsx').then(({ RecordingView: it }) => ({ default: it })))

export function Try() {
  const { workspace_id, role } = useWorkspace()
  const [progress, setProgress] = useState<Progress | null>(null)
  const trial = useMutation({ mutationFn: () => play(workspace_id, setProgress) })
  const place = { workspace: workspace_id, bot: progress?.bot ?? '' }
  const { data: bot } = useQuery({ ...detailQuery(place), enabled: place.bot !== '' })
  const isDone = bot?.Status === 'Done'
  return (
    <>
      <h1>Try it now</h1>
      <p className="text-soft mt-2 mb-8 max-w-xl">
        Two bots of this server meet in a room of it and talk. A third one records them, as it would record you. It takes about a minute,
        and nothing leaves this machine.
      </p>
      {!trial.isPending && !trial.isSuccess && (
        <button type="button" className="button button-main px-5 py-2.5" disabled={role === 'viewer'} onClick={() => trial.mutate()}>
          {trial.isError ? 'Try again' : 'Start'}
        </button>
      )}
      <div className="mt-4">
        <Problem error={trial.error} />
      </div>
      <div className="mt-8 grid gap-8 lg:grid-cols-[18rem_minmax(0,1fr)]">
        <Steps step={isDone ? STEPS.length : (progress?.step ?? -1)} isOver={trial.isError} />
        <div className="flex min-w-0 flex-col gap-6">{bot && <Result place={place} bot={bot} />}</div>
      </div>
    </>
  )
}

function Steps({ step, isOver }: { step: number; isOver: boolean }) {
  return (
    <ol className="flex flex-col">
      {STEPS.map((label, index) => {
        const state = index < step ? 'done' : index === step && !isOver ? 'now' : 'open'
        return (
          <li key={label} aria-current={state === 'now' ? 'step' : undefined} className="flex items-center gap-3 py-2.5">
            <span
              aria-hidden="true"
              className={`size-2.5 rounded-full ${{ done: 'bg-accent', now: 'bg-good breathing', open: 'bg-line' }[state]}`}
            />
            <span className={state === 'open' ? 'text-soft' : 'font-medium'}>{label}</span>
          </li>
        )
      })}
    </ol>
  )
}

function Result({ place, bot }: { place: Place; bot: BotDetails }) {
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="font-medium">{bot.BotUsername}</span>
        <Status status={bot.Status} />
        <Link to="/w/$workspace/bots/$bot" params={place} className="link text-sm">
          Everything about this bot
        </Link>
      </p>
      {isLive(bot.Status) && (
        <div className="card grid gap-6 p-5">
          <div className="max-w-xl">
            <Glance place={place} />
          </div>
          <Watch place={place} />
        </div>
      )}
      {bot.Status === 'Done' && (
        <Suspense fallback={<Loading label="Loading the player" />}>
          <RecordingView place={place} bot={bot} />
        </Suspense>
      )}
    </>
  )
}
