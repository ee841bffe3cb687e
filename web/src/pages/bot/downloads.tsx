// Downloads of a bot's files, and their deletion.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import * as api from '../../api/sdk.gen.ts'
import type { BotDetails } from '../../api/types.gen.ts'
import { ask, ownLink } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, SureButton } from '../../ui/form.tsx'
import { Problem } from '../../ui/states.tsx'
import { at, audioQuery, type Place, recordingQuery } from './data.ts'

const TEXTS = ['txt', 'srt', 'vtt', 'json'] as const

export function Downloads({ place, bot, hasMedia }: { place: Place; bot: BotDetails; hasMedia: boolean }) {
  const { role } = useWorkspace()
  const navigate = useNavigate()
  const deletion = useMutation({
    mutationFn: () => ask(api.deleteBotData(at(place.bot))),
    onSuccess: () => void navigate({ to: '/w/$workspace/bots', params: place }),
  })
  const isDeletable = bot.Status !== 'MediaExpired' && role !== 'viewer'
  if (!hasMedia && !isDeletable) return null
  return (
    <section aria-labelledby="downloads">
      <h2 id="downloads">{hasMedia ? 'Downloads' : 'Data'}</h2>
      {hasMedia && <Files place={place} bot={bot} />}
      {isDeletable && (
        <div className="mt-6 flex flex-wrap items-center gap-4">
          <SureButton label="Delete everything" sure="Delete for good?" onSure={() => deletion.mutate()} />
          <span className="text-soft text-sm">Recording, transcript, chat and screenshots are deleted for good.</span>
        </div>
      )}
      <div className="mt-3">
        <Problem error={deletion.error} />
      </div>
    </section>
  )
}

function Files({ place, bot }: { place: Place; bot: BotDetails }) {
  const { data } = useQuery(recordingQuery(place))
  const audio = useQuery({ ...audioQuery(place), enabled: bot.AudioStatus === 'Success' })
  const save = useMutation({ mutationFn: (format: (typeof TEXTS)[number]) => saveTranscript(bot, format) })
  const people = (data?.sounds ?? []).flatMap(({ participant_name, streams }) =>
    streams.flatMap(({ segments }) =>
      segments.map(({ url, segment_index }) => ({ url, name: `${participant_name} ${segment_index + 1}` })),
    ),
  )
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {data?.video && <Download url={data.video.video_url} label="Video (mp4)" />}
      {audio.data && <Download url={audio.data.audio_url} label="Audio (m4a)" />}
      {bot.TranscriptStatus === 'Success' &&
        TEXTS.map((format) => <Button key={format} label={`Transcript (${format})`} onClick={() => save.mutate(format)} />)}
      {people.map(({ url, name }) => (
        <Download key={url} url={url} label={`${name} (sound)`} />
      ))}
      <Problem error={save.error} />
    </div>
  )
}

const Download = ({ url, label }: { url: string; label: string }) => (
  <a className="button" href={ownLink(url)} download>
    {label}
  </a>
)

async function saveTranscript({ transcript_id, BotID }: BotDetails, format: (typeof TEXTS)[number]): Promise<void> {
  const asText = { path: { transcript_id: transcript_id ?? '' }, query: { format }, parseAs: 'text' as const }
  const text: unknown = await ask<unknown>(api.getTranscript(asText))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([String(text)]))
  link.download = `${BotID}.${format}`
  link.click()
  URL.revokeObjectURL(link.href)
}
