// The recording: a player with lanes as its scrubber, the transcript beside it, and a track for every voice.
import { useQuery } from '@tanstack/react-query'
import {
  MediaControlBar,
  MediaController,
  MediaFullscreenButton,
  MediaMuteButton,
  MediaPlayButton,
  MediaSeekBackwardButton,
  MediaTimeDisplay,
  MediaTimeRange,
  MediaVolumeRange,
} from 'media-chrome/react'
import { useRef, useState } from 'react'
import type { BotDetails } from '../../api/types.gen.ts'
import { ownLink } from '../../service.ts'
import { Await } from '../../ui/states.tsx'
import { audioQuery, type Place, peopleQuery, type Recording, recordingQuery } from './data.ts'
import { breaksOf, lanesOf } from './lane-spans.ts'
import { Lanes } from './lanes.tsx'
import { type Playhead, usePlayhead } from './playhead.ts'
import { type View, viewsOf } from './shots.ts'
import { Tracks } from './tracks.tsx'
import { Transcript } from './transcript.tsx'
import { Composed, ViewSwitch } from './views.tsx'

type Shown = { readonly place: Place; readonly bot: BotDetails }

export function RecordingView({ place, bot }: Shown) {
  const query = useQuery(recordingQuery(place))
  return <Await query={query}>{(recording) => <Stage place={place} bot={bot} recording={recording} />}</Await>
}

function Stage({ place, bot, recording }: Shown & { recording: Recording }) {
  const stage = useRef<HTMLDivElement>(null)
  const [media, setMedia] = useState<HTMLMediaElement | null>(null)
  const playhead = usePlayhead(media, stage)
  const { data: people } = useQuery(peopleQuery(place))
  const [isMixing, setMixing] = useState(false)
  const [view, setView] = useState<View>('recorded')
  const seconds = recording.video?.video_info.duration ?? bot.delivered.audio_seconds
  return (
    <section ref={stage} aria-label="Recording" className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
      <div className="flex min-w-0 flex-col gap-5">
        <Player place={place} recording={recording} media={media} onMedia={setMedia} isMuted={isMixing} view={view} playhead={playhead} />
        {recording.video && <ViewSwitch views={viewsOf(bot, recording)} view={view} onView={setView} />}
        <Lanes
          lanes={lanesOf(recording, people?.messages ?? [])}
          breaks={breaksOf(recording)}
          seconds={seconds}
          time={playhead.time}
          onSeek={playhead.seek}
        />
        <Tracks sounds={recording.sounds} playhead={playhead} isOn={isMixing} onSwitch={setMixing} />
      </div>
      <Transcript place={place} bot={bot} time={playhead.time} onSeek={playhead.seek} />
    </section>
  )
}

type PlayerProps = {
  readonly place: Place
  readonly recording: Recording
  readonly view: View
  readonly playhead: Playhead
  readonly isMuted: boolean
  readonly media: HTMLMediaElement | null
  readonly onMedia: (media: HTMLMediaElement | null) => void
}

function Player({ place, recording, view, playhead, isMuted, media, onMedia }: PlayerProps) {
  const { video } = recording
  const { data: audio } = useQuery({ ...audioQuery(place), enabled: video === null })
  return (
    <MediaController
      audio={video === null}
      className="@container block w-full overflow-hidden rounded-2xl bg-black [--media-background-color:transparent] [--media-font-family:inherit]"
    >
      {video ? (
        <video
          ref={onMedia}
          slot="media"
          src={ownLink(video.video_url)}
          muted={isMuted}
          playsInline
          preload="metadata"
          className="aspect-video w-full"
        />
      ) : (
        <audio ref={onMedia} slot="media" src={audio ? ownLink(audio.audio_url) : undefined} muted={isMuted} preload="metadata" />
      )}
      {view !== 'recorded' && <Composed view={view} recording={recording} playhead={playhead} />}
      <MediaControlBar className="w-full px-2">
        <MediaPlayButton />
        <MediaSeekBackwardButton seekOffset={10} />
        <MediaTimeRange />
        <MediaTimeDisplay showDuration noToggle className="whitespace-nowrap" />
        <MediaMuteButton />
        <MediaVolumeRange className="@max-xl:hidden" />
        <Speed media={media} />
        <MediaFullscreenButton />
      </MediaControlBar>
    </MediaController>
  )
}

const SPEEDS: readonly number[] = [1, 1.25, 1.5, 2]

function Speed({ media }: { media: HTMLMediaElement | null }) {
  const [speed, setSpeed] = useState(1)
  const faster = () => {
    const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1
    if (media) media.playbackRate = next
    setSpeed(next)
  }
  return (
    <button type="button" className="min-w-11 px-2 text-sm font-medium text-white" onClick={faster}>
      {speed}× <span className="sr-only">speed</span>
    </button>
  )
}
