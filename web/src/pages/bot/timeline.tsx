// The stages of the bot, drawn over time.
import type { BotDetails } from '../../api/types.gen.ts'
import { clock, isLive, statusWords } from '../../ui/status.tsx'

const COLOURS: Readonly<Record<string, string>> = {
  Queued: 'bg-line',
  Scheduled: 'bg-line',
  Joining: 'bg-warm/45',
  InWaitingRoom: 'bg-warm/70',
  InMeeting: 'bg-accent/60',
  Recording: 'bg-accent',
  RecordingPermissionAllowed: 'bg-accent',
  Rejoining: 'bg-bad/60',
  Rejoined: 'bg-accent',
  Leaving: 'bg-accent/40',
}

type Stage = { readonly name: string; readonly at: number; readonly lasted: number; readonly message: string }

/** The current stage of an active bot lasts until now. */
function stagesOf({ StatusTimeline, Status }: BotDetails): Stage[] {
  const entries = Object.entries(StatusTimeline).map(([name, { timestamp, message }]) => ({ name, message, at: Date.parse(timestamp) }))
  return entries.map((stage, index) => ({
    ...stage,
    lasted: Math.max(0, (entries[index + 1]?.at ?? (isLive(Status) ? Date.now() : stage.at)) - stage.at),
  }))
}

const time = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** `Recording` and other stages are not statuses. */
const words = (name: string) => statusWords(name).replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')

export function Timeline({ bot }: { bot: BotDetails }) {
  const stages = stagesOf(bot)
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <div aria-hidden="true" className="mt-4 flex h-3 gap-px overflow-hidden rounded-full">
        {stages
          .filter(({ lasted }) => lasted > 0)
          .map(({ name, lasted }) => (
            <div key={name} title={words(name)} className={`min-w-1 ${COLOURS[name] ?? 'bg-edge/50'}`} style={{ flexGrow: lasted }} />
          ))}
      </div>
      <ol className="mt-5 grid gap-x-10 sm:grid-cols-2">
        {stages.map(({ name, at, lasted, message }) => (
          <li key={name} className="border-line flex items-baseline gap-3 border-b py-2 text-sm">
            <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${COLOURS[name] ?? 'bg-edge/50'}`} />
            <time dateTime={new Date(at).toISOString()} className="text-soft font-mono text-[13px]">
              {time.format(at)}
            </time>
            <span className="min-w-0 flex-1">
              {words(name)}
              {!message.toLowerCase().includes(words(name).toLowerCase()) && <span className="text-soft"> · {message}</span>}
            </span>
            {lasted >= 1000 && <span className="text-soft tabular-nums">{clock(lasted / 1000)}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}
