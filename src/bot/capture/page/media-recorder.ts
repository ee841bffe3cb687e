/// <reference lib="dom" />
// Fallback for a track without encoded frames: the browser's MediaRecorder writes it, without encoding it again if possible.
import type { TrackRecorder } from './config.ts'
import { pageNowMs } from './shipper.ts'

const CHUNK_MS = 1_000
/** Each container has its own header, so the loss of one does not affect the next. */
const CONTAINER_MS = 9_000

export type Chunk = { readonly first: boolean; readonly atMs: number; readonly data: ArrayBuffer }

/** Throws if the browser cannot record this track. No MIME type is given, because then the browser does not encode video again. */
export function recordTrack(track: MediaStreamTrack, onChunk: (chunk: Chunk) => void): TrackRecorder {
  let current = start()
  const timer = setInterval(restart, CONTAINER_MS)
  track.addEventListener('ended', stop)

  function start(): MediaRecorder {
    const recorder = new MediaRecorder(new MediaStream([track]))
    const startedMs = pageNowMs()
    let first = true
    let order = Promise.resolve()
    recorder.ondataavailable = ({ data }) => {
      if (data.size === 0) return
      const chunk = { first, atMs: first ? startedMs : pageNowMs() }
      first = false
      order = order.then(async () => onChunk({ ...chunk, data: await data.arrayBuffer() }))
    }
    recorder.start(CHUNK_MS)
    return recorder
  }

  function restart(): void {
    const before = current
    if (before.state === 'inactive') return
    // The last chunk of the old recorder must precede the first of the new one.
    before.onstop = () => {
      if (track.readyState === 'live') current = start()
    }
    before.stop()
  }

  function stop(): void {
    clearInterval(timer)
    current.onstop = null
    if (current.state !== 'inactive') current.stop()
  }

  return { restart, stop }
}
