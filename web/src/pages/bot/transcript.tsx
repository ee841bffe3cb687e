// The transcript: follows the player, seeks on a click, and can be searched, copied and renewed. Its speakers can be renamed.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { PROVIDERS } from '../../api/constants.gen.ts'
import * as api from '../../api/sdk.gen.ts'
import type { BotDetails, TranscribeRequest, TranscriptSegment } from '../../api/types.gen.ts'
import { useChange } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, CopyButton, Form, Values } from '../../ui/form.tsx'
import { Problem } from '../../ui/states.tsx'
import { clock } from '../../ui/status.tsx'
import { at, type Place, transcriptQuery } from './data.ts'

type TranscriptProps = {
  readonly place: Place
  readonly bot: BotDetails
  readonly time: number
  readonly onSeek: (seconds: number) => void
}

export function Transcript({ place, bot, time, onSeek }: TranscriptProps) {
  const { data: segments } = useQuery(transcriptQuery(place, bot))
  const [search, setSearch] = useState('')
  const shown = segments?.filter(({ text, speaker }) => `${speaker} ${text}`.toLowerCase().includes(search.toLowerCase())) ?? []
  return (
    <div className="card flex max-h-[36rem] min-h-64 flex-col overflow-hidden">
      <div className="border-line flex items-center gap-2 border-b p-3">
        <h2 className="sr-only">Transcript</h2>
        <input
          type="search"
          aria-label="Search the transcript"
          placeholder="Search the transcript"
          className="field py-1.5 text-sm"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <CopyButton className="py-1.5" text={shown.map(({ speaker, text }) => `${speaker}: ${text}`).join('\n')} />
      </div>
      {shown.length > 0 ? (
        <Segments segments={shown} time={time} onSeek={onSeek} />
      ) : (
        <NoTranscript bot={bot} isSearching={search !== ''} />
      )}
      <Speakers place={place} segments={segments ?? []} />
      <Again place={place} bot={bot} />
    </div>
  )
}

function Segments({ segments, time, onSeek }: { segments: readonly TranscriptSegment[]; time: number; onSeek: (seconds: number) => void }) {
  const list = useRef<HTMLOListElement>(null)
  const current = segments.findLastIndex(({ start_time }) => start_time <= time + 0.05)
  useEffect(() => {
    const [box, item] = [list.current, list.current?.children[current] as HTMLElement | undefined]
    // Scrolls the list only, because scrollIntoView would scroll the page too.
    if (box && item) box.scrollTo({ top: item.offsetTop - box.clientHeight / 3, behavior: 'smooth' })
  }, [current])
  return (
    <ol ref={list} className="relative min-h-0 flex-1 overflow-y-auto p-2">
      {segments.map((segment, index) => (
        <li key={`${segment.speaker_id} ${segment.start_time}`}>
          <button
            type="button"
            aria-current={index === current && time > 0}
            className="hover:bg-accent-wash/60 aria-[current=true]:bg-accent-wash w-full rounded-lg px-3 py-2 text-left transition-colors"
            onClick={() => onSeek(segment.start_time)}
          >
            <span className="text-soft flex justify-between text-[13px]">
              <span className="text-accent font-medium">{segment.speaker}</span>
              <span className="tabular-nums">{clock(segment.start_time)}</span>
            </span>
            {segment.text}
          </button>
        </li>
      ))}
    </ol>
  )
}

const STATES: Readonly<Record<string, string>> = {
  Pending: 'The transcript follows after the call.',
  Processing: 'The recording is being transcribed.',
  Failed: 'The recording could not be transcribed.',
  Success: 'No speech was recognised.',
}

function NoTranscript({ bot, isSearching }: { bot: BotDetails; isSearching: boolean }) {
  const state = bot.Status === 'Scheduled' ? 'Pending' : (bot.TranscriptStatus ?? '')
  const words = isSearching ? 'No match in the transcript.' : (STATES[state] ?? 'There is no transcript.')
  return <p className="text-soft grid flex-1 place-items-center p-6 text-center">{words}</p>
}

/** Renames speakers. The service applies the names to every form of the transcript. */
function Speakers({ place, segments }: { place: Place; segments: readonly TranscriptSegment[] }) {
  const { role } = useWorkspace()
  const path = { workspace_id: place.workspace, bot_id: place.bot }
  const change = useChange('bot', place.bot)
  const rename = (speaker_id: string, name: string | null) =>
    change.mutate(() => ask(api.renameSpeaker({ path, body: { speaker_id, name } })))
  const speakers = new Map(segments.filter(({ speaker_id }) => speaker_id !== '').map(({ speaker_id, speaker }) => [speaker_id, speaker]))
  if (role === 'viewer' || speakers.size === 0) return null
  return (
    <details className="border-line border-t text-sm">
      <summary className="text-soft px-4 py-2.5">Rename speakers</summary>
      <div className="flex flex-col gap-2 px-4 pb-4">
        {[...speakers].map(([speaker_id, speaker]) => (
          <Form key={`${speaker_id} ${speaker}`} className="flex gap-2" onSend={({ name }) => rename(speaker_id, name?.trim() || null)}>
            <input name="name" aria-label={`Name of ${speaker}`} className="field py-1.5" defaultValue={speaker} maxLength={200} />
            <Button type="submit" label="Rename" disabled={change.isPending} />
          </Form>
        ))}
        <p className="text-soft text-[13px]">An empty name restores the name from the meeting.</p>
        <Problem error={change.error} />
      </div>
    </details>
  )
}

function Again({ place, bot }: { place: Place; bot: BotDetails }) {
  const { role } = useWorkspace()
  const again = useChange<{ message: string }>('bot', place.bot)
  if (role === 'viewer' || bot.Status !== 'Done') return null
  return (
    <details className="border-line border-t text-sm">
      <summary className="text-soft px-4 py-2.5">Transcribe again</summary>
      <Form<TranscribeRequest>
        className="flex flex-col gap-2 px-4 pb-4"
        onSend={(body) => again.mutate(() => ask(api.transcribeBot({ ...at(place.bot), body })))}
      >
        <div className="flex gap-2">
          <select aria-label="Provider" name="provider" className="field py-1.5">
            <Values of={PROVIDERS} />
          </select>
          <Button type="submit" label="Start" disabled={again.isPending} />
        </div>
        {again.data && <p role="status">{again.data.message}</p>}
        <Problem error={again.error} />
      </Form>
    </details>
  )
}
