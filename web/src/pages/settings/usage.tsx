// The workspace's usage by day, and its remaining credits.
import * as api from '../../api/sdk.gen.ts'
import type { Usage as UsageAnswer } from '../../api/types.gen.ts'
import { useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { Figures, Section } from '../../ui/section.tsx'
import { Await } from '../../ui/states.tsx'

const DAY_MS = 86_400_000
const DAYS = 30

export function Usage() {
  const usage = useNamedQuery(['usage'], () => ask(api.getUsage()))
  return (
    <Section title="Usage" lead="The last thirty days, in UTC.">
      <Await query={usage}>{(it) => <Month usage={it} />}</Await>
    </Section>
  )
}

function Month({ usage }: { usage: UsageAnswer }) {
  const money = new Intl.NumberFormat(undefined, { style: 'currency', currency: usage.currency })
  const figures = [
    ['Bots', String(usage.bots)],
    ['Hours', (usage.bot_seconds / 3600).toFixed(1)],
    ['Cost', money.format(inCents(usage.cost))],
    ['Credits left', money.format(inCents(usage.balance))],
  ] as const
  return (
    <>
      <Figures figures={figures} />
      <Chart days={usage.by_day} />
    </>
  )
}

/** A debt below one cent must not show as minus zero. */
const inCents = (amount: number) => Math.round(amount * 100) / 100 + 0

function Chart({ days }: { days: UsageAnswer['by_day'] }) {
  const today = Date.now()
  const minutes = Array.from({ length: DAYS }, (_, index) => {
    const day = new Date(today - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { day, minutes: (days.find((it) => it.day === day)?.bot_seconds ?? 0) / 60 }
  })
  const most = Math.max(1, ...minutes.map((it) => it.minutes))
  return (
    <figure className="card p-5">
      <figcaption className="text-soft mb-4 text-[13px]">Minutes in meetings, by day</figcaption>
      <div className="flex h-40 items-end gap-1">
        {minutes.map(({ day, minutes: value }) => (
          <div
            key={day}
            title={`${day}: ${Math.round(value)} min`}
            className={`flex-1 rounded-t-[3px] ${value > 0 ? 'bg-accent' : 'bg-line'}`}
            style={{ height: `${Math.max(2, (100 * value) / most)}%` }}
          />
        ))}
      </div>
      <p className="text-soft mt-2 flex justify-between text-[13px]">
        <span>{minutes[0]?.day}</span>
        <span>{minutes.at(-1)?.day}</span>
      </p>
    </figure>
  )
}
