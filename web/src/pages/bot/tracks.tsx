// A track for every voice: its waveform and its volume, in step with the player.
import { useEffect, useRef, useState } from 'react'
import WaveSurfer from 'wavesurfer.js'
import { ownLink } from '../../service.ts'
import { Switch } from '../../ui/form.tsx'
import type { Recording } from './data.ts'
import type { Playhead } from './playhead.ts'

/** A larger drift is corrected. A smaller one is inaudible. */
const DRIFT_SECONDS = 0.15

type TracksProps = {
  readonly sounds: Recording['sounds']
  readonly playhead: Playhead
  readonly isOn: boolean
  readonly onSwitch: (isOn: boolean) => void
}

export function Tracks({ sounds, playhead, isOn, onSwitch }: TracksProps) {
  if (sounds.length === 0) return null
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label="Listen to separate voices"
        hint="Mutes the player and gives each voice its own volume."
        checked={isOn}
        onChange={({ target }) => onSwitch(target.checked)}
      />
      {isOn && sounds.map((person) => <Voice key={person.participant_id} person={person} playhead={playhead} />)}
    </div>
  )
}

function Voice({ person, playhead }: { person: Recording['sounds'][number]; playhead: Playhead }) {
  const [volume, setVolume] = useState(1)
  const segments = person.streams.flatMap((stream) => stream.segments)
  return (
    <div className="card grid grid-cols-[1fr_7rem] items-center gap-4 px-4 py-3">
      <div className="min-w-0">
        <p className="text-sm font-medium">{person.participant_name}</p>
        <div className="mt-1 flex gap-2">
          {segments.map((segment) => (
            <Wave key={segment.url} segment={segment} volume={volume} playhead={playhead} />
          ))}
        </div>
      </div>
      <input
        type="range"
        aria-label={`Volume of ${person.participant_name}`}
        className="accent-accent"
        min={0}
        max={1}
        step={0.05}
        value={volume}
        onChange={({ target }) => setVolume(Number(target.value))}
      />
    </div>
  )
}

type Segment = Recording['sounds'][number]['streams'][number]['segments'][number]

function Wave({ segment, volume, playhead }: { segment: Segment; volume: number; playhead: Playhead }) {
  const box = useRef<HTMLDivElement>(null)
  const [wave, setWave] = useState<WaveSurfer | null>(null)
  const url = ownLink(segment.url)
  useEffect(() => {
    if (!box.current) return
    const style = getComputedStyle(box.current)
    const [waveColor, progressColor] = [style.getPropertyValue('--color-edge'), style.color]
    const made = WaveSurfer.create({
      container: box.current,
      url,
      height: 36,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      waveColor,
      progressColor,
    })
    setWave(made)
    return () => made.destroy()
  }, [url])

  useEffect(() => wave?.setVolume(volume), [wave, volume])
  useEffect(() => {
    if (wave) synchronise(wave, segment, playhead)
  }, [wave, playhead, segment])

  return <div ref={box} className="text-accent min-w-6" style={{ flexGrow: segment.duration_seconds }} />
}

function synchronise(wave: WaveSurfer, segment: Segment, { time, isPlaying, rate }: Playhead): void {
  if (wave.getPlaybackRate() !== rate) wave.setPlaybackRate(rate)
  const inside = time - segment.start_offset
  const isDue = inside >= 0 && inside < segment.duration_seconds
  if (isDue && Math.abs(wave.getCurrentTime() - inside) > DRIFT_SECONDS) wave.setTime(inside)
  const shouldPlay = isDue && isPlaying
  if (shouldPlay === wave.isPlaying()) return
  // A segment that is not playable yet is retried at the next step of the playhead.
  if (shouldPlay) void wave.play().catch(() => undefined)
  else wave.pause()
}
