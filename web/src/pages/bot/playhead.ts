// The position of the player: in CSS on every frame, in React four times per second.
import { type RefObject, useCallback, useEffect, useState } from 'react'

export type Playhead = { readonly time: number; readonly isPlaying: boolean; readonly rate: number; seek(seconds: number): void }

/** Writes `--at`, the played share of the recording, to `stage` without rendering a component. */
export function usePlayhead(media: HTMLMediaElement | null, stage: RefObject<HTMLElement | null>): Playhead {
  const [time, setTime] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [rate, setRate] = useState(1)
  useEffect(() => {
    if (!media) return
    let frame = 0
    const draw = () => {
      stage.current?.style.setProperty('--at', String(media.duration > 0 ? media.currentTime / media.duration : 0))
      if (!media.paused) frame = requestAnimationFrame(draw)
    }
    const onMove = () => {
      setTime(media.currentTime)
      setPlaying(!media.paused)
      setRate(media.playbackRate)
      cancelAnimationFrame(frame)
      draw()
    }
    const events = ['timeupdate', 'play', 'pause', 'seeked', 'ratechange', 'loadedmetadata'] as const
    for (const name of events) media.addEventListener(name, onMove)
    return () => {
      cancelAnimationFrame(frame)
      for (const name of events) media.removeEventListener(name, onMove)
    }
  }, [media, stage])
  const seek = useCallback(
    (seconds: number) => {
      if (media) media.currentTime = seconds
    },
    [media],
  )
  return { time, isPlaying, rate, seek }
}
