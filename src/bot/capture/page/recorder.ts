/// <reference lib="dom" />
// The next way down: where a track gives no encoded frames the browser's own recorder writes it, un-re-encoded where it can.

const CHUNK_MS = 1_000
/** Each container starts whole, so a lost one costs no more than itself. */
const CONTAINER_MS = 9_000

export type Chunk = { readonly first: boolean; readonly atMs: number; readonly data: ArrayBuffer }
export type TrackRecorder = { restart(): void; stop(): void }

/** Throws where the browser cannot record this track. Without a type, because then video is passed through instead of encoded again. */
export function recordTrack(track: MediaStreamTrack, nowMs: () => number, onChunk: (chunk: Chunk) => void): TrackRecorder {
  let current = start()
  const timer = setInterval(restart, CONTAINER_MS)
  track.addEventListener('ended', stop)

  function start(): MediaRecorder {
    const recorder = new MediaRecorder(new MediaStream([track]))
    const startedMs = nowMs()
    let first = true
    let order = Promise.resolve()
    recorder.ondataavailable = ({ data }) => {
      if (data.size === 0) return
      const chunk = { first, atMs: first ? startedMs : nowMs() }
      first = false
      order = order.then(async () => onChunk({ ...chunk, data: await data.arrayBuffer() }))
    }
    recorder.start(CHUNK_MS)
    return recorder
  }

  function restart(): void {
    const before = current
    if (before.state === 'inactive') return
    // The old one's last chunk must be out before the new one's first.
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
