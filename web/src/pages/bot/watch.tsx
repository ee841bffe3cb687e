// The meeting live: the audio level of each person, and the last transcript lines.
import { useEffect, useState } from 'react'
import type { Watched } from '../../../../src/service/api/dashboard/schema.ts'
import { openStream } from '../../stream.ts'
import type { Place } from './data.ts'

const MOST_LINES = 50

const NOTHING: Watched = { levels: [], lines: [] }

/** The service asks the bot only while this page is open. */
function useWatched({ workspace, bot }: Place): Watched {
  const [live, setLive] = useState(NOTHING)
  useEffect(() => {
    const stream = openStream(`/dashboard/v1/workspaces/${workspace}/bots/${bot}/watch`, {
      // A new connection starts with lines that are already shown.
      onOpen: () => setLive(NOTHING),
      onMessage(data) {
        const { levels, lines }: Watched = JSON.parse(data)
        setLive((before) => ({ levels, lines: lines.length > 0 ? [...before.lines, ...lines].slice(-MOST_LINES) : before.lines }))
      },
    })
    return () => stream.close()
  }, [workspace, bot])
  return live
}

export function Watch({ place }: { place: Place }) {
  const { levels, lines } = useWatched(place)
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <div>
        <h3 className="text-soft mb-2 text-[13px] font-normal">Speaking now</h3>
        {levels.length === 0 ? (
          <p className="text-soft text-sm">No participants yet.</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {levels.map(({ speaker_id, name, level }) => (
              <li key={speaker_id} className="grid grid-cols-[minmax(0,7rem)_1fr] items-center gap-3 text-sm">
                <span className="truncate">{name}</span>
                <span aria-hidden="true" className="bg-sunk h-2 overflow-hidden rounded-full">
                  <span
                    className="bg-good block h-full origin-left rounded-full transition-transform duration-300"
                    style={{ transform: `scaleX(${level})` }}
                  />
                </span>
                <meter className="sr-only" aria-label={`Level of ${name}`} min={0} max={1} value={level} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <Lines lines={lines} />
    </div>
  )
}

function Lines({ lines }: Pick<Watched, 'lines'>) {
  return (
    <div className="min-w-0">
      <h3 className="text-soft mb-2 text-[13px] font-normal">Live transcript</h3>
      {lines.length === 0 ? (
        <p className="text-soft text-sm">The transcript appears here if the bot has a live speech provider.</p>
      ) : (
        <ol aria-label="Live transcript" aria-live="polite" className="flex max-h-44 flex-col-reverse gap-1.5 overflow-y-auto text-sm">
          {lines.toReversed().map(({ id, speaker, text }) => (
            <li key={id}>
              <span className="text-accent font-medium">{speaker}</span> {text}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
