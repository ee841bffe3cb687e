// A lane for each person with speech, screen shares, chat, pauses and absences. The lanes are the player's scrubber.
import type { KeyboardEvent, MouseEvent } from 'react'
import { clock } from '../../ui/status.tsx'
import { KINDS, type Lane, type Span } from './lane-spans.ts'

const STYLES: Readonly<Record<Span['kind'], string>> = {
  speech: 'inset-y-1 bg-accent rounded-[3px] min-w-0.5',
  screen: 'inset-y-0 bg-warm/25 rounded-[3px]',
  chat: 'inset-y-0 my-auto size-2 -translate-x-1 rounded-full bg-warm',
  pause: 'inset-y-0 bg-edge/35',
  absence: 'inset-y-0 bg-bad/25',
}

type LanesProps = {
  readonly lanes: readonly Lane[]
  /** These apply to the whole recording and go through all lanes. */
  readonly breaks: readonly Span[]
  readonly seconds: number
  readonly time: number
  readonly onSeek: (seconds: number) => void
}

/** Seconds that each key of the slider adds. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -30,
  PageUp: 30,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

export function Lanes({ lanes, breaks, seconds, time, onSeek }: LanesProps) {
  if (seconds <= 0 || lanes.length + breaks.length === 0) return null
  const onClick = ({ currentTarget, clientX }: MouseEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    onSeek(((clientX - left) / width) * seconds)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onSeek(Math.min(seconds, Math.max(0, time + step)))
  }
  return (
    <div>
      <div className="grid grid-cols-[5.5rem_1fr] gap-x-3 text-[13px]">
        <div>
          {lanes.map(({ id, name }) => (
            <p key={id} title={name} className="text-soft flex h-7 items-center">
              <span className="truncate">{name}</span>
            </p>
          ))}
        </div>
        <div
          role="slider"
          tabIndex={0}
          aria-label="Position in the recording"
          aria-valuemin={0}
          aria-valuemax={Math.round(seconds)}
          aria-valuenow={Math.round(time)}
          aria-valuetext={`${clock(time)} of ${clock(seconds)}${speakingAt(lanes, time)}`}
          className="relative min-h-7 cursor-pointer rounded-sm"
          onClick={onClick}
          onKeyDown={onKeyDown}
        >
          {lanes.map(({ id, spans }) => (
            <div key={id} className="border-line relative h-7 border-b">
              {spans.map((span) => (
                <Bar key={`${span.kind} ${span.from}`} span={span} seconds={seconds} />
              ))}
            </div>
          ))}
          {breaks.map((span) => (
            <Bar key={`${span.kind} ${span.from}`} span={span} seconds={seconds} />
          ))}
          <span
            aria-hidden="true"
            className="bg-ink pointer-events-none absolute inset-y-0 w-px"
            style={{ left: 'calc(var(--at, 0) * 100%)' }}
          />
        </div>
      </div>
      <Legend kinds={[...breaks, ...lanes.flatMap(({ spans }) => spans)].map(({ kind }) => kind)} seconds={seconds} />
    </div>
  )
}

function Bar({ span: { kind, from, to, title }, seconds }: { span: Span; seconds: number }) {
  return (
    <span
      title={title}
      className={`absolute ${STYLES[kind]}`}
      style={{ left: share(from, seconds), width: kind === 'chat' ? undefined : share(to - from, seconds) }}
    />
  )
}

const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(3)}%`

function speakingAt(lanes: readonly Lane[], time: number): string {
  const names = lanes.filter(({ spans }) => spans.some(({ kind, from, to }) => kind === 'speech' && from <= time && time < to))
  return names.length > 0 ? `, ${names.map(({ name }) => name).join(' and ')} speaking` : ''
}

function Legend({ kinds, seconds }: { kinds: readonly Span['kind'][]; seconds: number }) {
  return (
    <p className="text-soft mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 pl-[6.25rem] text-[13px]">
      {Object.entries(KINDS)
        .filter(([kind]) => kinds.some((it) => it === kind))
        .map(([kind, words]) => (
          <span key={kind} className="flex items-center gap-1.5">
            <span
              aria-hidden="true"
              className={`relative size-2.5 ${STYLES[kind as Span['kind']].replace(/inset\S+|-translate\S+/g, '')}`}
            />
            {words}
          </span>
        ))}
      <span className="ml-auto tabular-nums">{clock(seconds)}</span>
    </p>
  )
}
