// The video in another layout, composed in the page from the files of separate cameras and screens.
import { useEffect, useRef } from 'react'
import { ownLink } from '../../service.ts'
import { Options } from '../../ui/form.tsx'
import type { Recording } from './data.ts'
import type { Playhead } from './playhead.ts'
import { type Shot, shotsOf, type View } from './shots.ts'

const LABELS: Readonly<Record<View, string>> = { recorded: 'As recorded', grid: 'Grid', speaker: 'Speaker' }
/** A larger drift of a tile is corrected. */
const DRIFT_SECONDS = 0.3

/** The player hides overlays while it plays, unless they have this attribute. */
const STAYS = { noautohide: '' }

export function ViewSwitch({ views, view, onView }: { views: readonly View[]; view: View; onView: (view: View) => void }) {
  if (views.length < 2) return null
  return <Options legend="Layout of the video" options={views} labels={LABELS} chosen={view} onChoose={onView} />
}

export function Composed({ view, recording, playhead }: { view: View; recording: Recording; playhead: Playhead }) {
  const shown = shotsOf(view, recording, playhead.time)
  const columns = Math.ceil(Math.sqrt(Math.max(1, shown.length)))
  return (
    <div
      slot="centered-chrome"
      {...STAYS}
      // Above the control bar, which stays usable.
      className="pointer-events-none mb-auto grid h-[calc(100%-3rem)] w-full gap-1 bg-black p-1"
      style={{ gridTemplateColumns: `repeat(${columns}, 1fr)` }}
    >
      {shown.map((shot) => (
        <Tile key={shot.segment.url} shot={shot} playhead={playhead} />
      ))}
      {shown.length === 0 && <p className="grid place-items-center text-sm text-white/70">No camera is on.</p>}
    </div>
  )
}

function Tile({ shot: { name, segment }, playhead: { time, isPlaying, rate } }: { shot: Shot; playhead: Playhead }) {
  const video = useRef<HTMLVideoElement>(null)
  useEffect(() => {
    const it = video.current
    if (!it) return
    const inside = time - segment.start_offset
    it.playbackRate = rate
    if (Math.abs(it.currentTime - inside) > DRIFT_SECONDS) it.currentTime = inside
    // A tile that is not playable yet is retried at the next step of the playhead.
    if (isPlaying && it.paused) void it.play().catch(() => undefined)
    if (!isPlaying) it.pause()
  }, [time, isPlaying, rate, segment])
  return (
    <figure className="relative min-h-0 min-w-0 overflow-hidden rounded-md bg-white/5">
      <video ref={video} src={ownLink(segment.url)} muted playsInline preload="auto" className="size-full object-contain" />
      <figcaption className="absolute bottom-1 left-1 rounded bg-black/60 px-1.5 text-xs text-white">{name}</figcaption>
    </figure>
  )
}
