// The contents of the lanes by person (speech, screen shares and chat), and the breaks of the whole recording.
import type { ChatMessage } from '../../api/types.gen.ts'
import { clock } from '../../ui/status.tsx'
import type { Recording } from './data.ts'

export const KINDS = { speech: 'speaks', screen: 'shares a screen', chat: 'writes', pause: 'paused', absence: 'bot away' } as const

export type Span = { readonly from: number; readonly to: number; readonly kind: keyof typeof KINDS; readonly title: string }
export type Lane = { readonly id: string; readonly name: string; readonly spans: readonly Span[] }

export function breaksOf({ pauses, gaps }: Recording): readonly Span[] {
  return [
    ...pauses.map(({ start, end }) => ({ kind: 'pause', from: start, to: end, title: `Paused at ${clock(start)}` }) as const),
    ...gaps.map(({ start, end }) => ({ kind: 'absence', from: start, to: end, title: `The bot was away at ${clock(start)}` }) as const),
  ]
}

/** In the order of first appearance. */
export function lanesOf({ spoken, screens, names }: Recording, messages: readonly ChatMessage[]): readonly Lane[] {
  const lanes = new Map<string, { readonly id: string; readonly name: string; readonly spans: Span[] }>()
  const add = (id: string, name: string, span: Span) => {
    const lane = lanes.get(id) ?? { id, name: names[id] ?? name, spans: [] }
    lanes.set(id, lane)
    lane.spans.push(span)
  }
  for (const { speakerId, speakerName, start, end } of spoken)
    add(speakerId ?? '', speakerName ?? 'Unknown', { kind: 'speech', from: start, to: end, title: `Speaks at ${clock(start)}` })
  for (const { participant_id, participant_name, streams } of screens)
    for (const { start_offset: from, duration_seconds } of streams.flatMap(({ segments }) => segments))
      add(participant_id, participant_name, { kind: 'screen', from, to: from + duration_seconds, title: 'Shares a screen' })
  for (const { deviceId, speakerName, sessionTimestamp: from, text, is_bot } of messages)
    if (!is_bot) add(deviceId, speakerName, { kind: 'chat', from, to: from, title: text })
  return [...lanes.values()]
}
