// Who spoke when: a lane for each person, with screen shares, chat marks and absences. A click goes there.
import type { MouseEvent } from 'react'
import type { BotDetails, GetChatsResponse } from '../../api/types.gen.ts'
import { clock } from '../../ui/status.tsx'
import type { Recording } from './data.ts'

type Span = { readonly from: number; readonly to: number; readonly kind: 'speech' | 'screen' | 'chat' | 'absence'; readonly title: string }
type Lane = { readonly name: string; readonly spans: readonly Span[] }

const KINDS: Readonly<Record<Span['kind'], string>> = {
  speech: 'inset-y-1 bg-accent rounded-[3px]',
  screen: 'inset-y-0 bg-warm/25 rounded-[3px]',
  chat: 'inset-y-0 my-auto h-2 min-w-2 -translate-x-1 rounded-full bg-warm',
  absence: 'inset-y-0 bg-bad/20',
}

type LanesProps = {
  readonly bot: BotDetails
  readonly recording: Recording
  readonly messages: GetChatsResponse['chatMessages']
  readonly seconds: number
  readonly onSeek: (seconds: number) => void
}

export function Lanes({ bot, recording, messages, seconds, onSeek }: LanesProps) {
  const lanes = lanesOf(bot, recording, messages)
  if (seconds <= 0 || lanes.length === 0) return null
  const seek = ({ currentTarget, clientX }: MouseEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    onSeek(((clientX - left) / width) * seconds)
  }
  return (
    <div className="grid grid-cols-[5.5rem_1fr] gap-x-3 text-[13px]">
      <div>
        {lanes.map(({ name }) => (
          <p key={name} className="text-soft flex h-7 items-center truncate">
            {name}
          </p>
        ))}
      </div>
      {/* The player has a scrubber for the keyboard; this one is for the eye and the pointer. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: see above. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: see above. */}
      <div className="relative cursor-pointer" onClick={seek}>
        {lanes.map(({ name, spans }) => (
          <div key={name} className="border-line relative h-7 border-b">
            {spans.map((span) => (
              <span
                key={`${span.kind} ${span.from}`}
                title={span.title}
                className={`absolute ${KINDS[span.kind]}`}
                style={{ left: share(span.from, seconds), width: share(span.to - span.from, seconds) }}
              />
            ))}
          </div>
        ))}
        <span
          aria-hidden="true"
          className="bg-ink pointer-events-none absolute inset-y-0 w-px"
          style={{ left: 'calc(var(--at, 0) * 100%)' }}
        />
        <p className="text-soft mt-1 flex justify-between tabular-nums">
          <span>0:00</span>
          <span>{clock(seconds)}</span>
        </p>
      </div>
    </div>
  )
}

const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(3)}%`

function lanesOf(bot: BotDetails, { spoken, screens }: Recording, messages: LanesProps['messages']): Lane[] {
  const spans = new Map<string, Span[]>()
  const add = (name: string, span: Span) => spans.set(name, [...(spans.get(name) ?? []), span])
  for (const { participant_name, streams } of screens)
    for (const { start_offset, duration_seconds } of streams.flatMap(({ segments }) => segments))
      add(participant_name, { kind: 'screen', from: start_offset, to: start_offset + duration_seconds, title: 'Shares a screen' })
  for (const { speakerName, start, end } of spoken)
    add(speakerName ?? 'Unknown', { kind: 'speech', from: start, to: end, title: `Speaks at ${clock(start)}` })
  for (const { speakerName, sessionTimestamp, text, is_bot } of messages)
    if (!is_bot) add(speakerName, { kind: 'chat', from: sessionTimestamp, to: sessionTimestamp, title: text })
  const began = Date.parse(bot.StatusTimeline.Recording?.timestamp ?? bot.StartTime ?? bot.CreatedAt)
  for (const { from, to } of bot.Absences) {
    const [start, end] = [from, to ?? from].map((at) => Math.max(0, (Date.parse(at) - began) / 1000)) as [number, number]
    add(bot.BotUsername, { kind: 'absence', from: start, to: end, title: 'The bot was away' })
  }
  return [...spans].map(([name, its]) => ({ name, spans: its }))
}
