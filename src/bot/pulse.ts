// Whether the page and the recording still move. Silence is not death: a page is asked, and its media worker says so by itself.
import type { CaptureHealth } from './capture/capture.ts'

const LOOK_EVERY_MS = 1_000
/** Longer than a busy machine ever took, and short enough to be noticed within ten seconds. */
const STILL_AFTER_MS = 7_000

export type PulseTools = {
  /** Settles when the page moves. */
  readonly touch: () => Promise<void>
  readonly health: () => CaptureHealth
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

export type Pulse = {
  /** What stands still, in words, once it has done so for too long. */
  readonly still: Promise<string>
  /** When media last came in, on the given clock; null before the first. */
  lastMediaAt(): number | null
  stop(): void
}

export function startPulse({ touch, health, now = () => performance.now() }: PulseTools, wallClock: () => number): Pulse {
  let touchedMs = now()
  let waiting = false
  let frames = 0
  let lastMediaAt: number | null = null
  let tell = (_words: string): void => undefined
  const still = new Promise<string>((resolve) => {
    tell = resolve
  })

  const timer = setInterval(() => {
    const came = health().pages.reduce((sum, page) => sum + page.frames, 0)
    if (came > frames) lastMediaAt = wallClock()
    frames = came
    if (!waiting) {
      waiting = true
      // A page that throws is gone, which is told by its own event.
      touch()
        .then(() => {
          touchedMs = now()
        }, ignored)
        .finally(() => {
          waiting = false
        })
    }
    if (now() - touchedMs > STILL_AFTER_MS) tell(`The page has not moved for ${STILL_AFTER_MS / 1000} s`)
    if (health().pages.some(isStill)) tell(`The recording in the page has not moved for ${STILL_AFTER_MS / 1000} s`)
  }, LOOK_EVERY_MS)

  function isStill({ connected, lastHeartbeatMs }: CaptureHealth['pages'][number]): boolean {
    return connected && performance.now() - lastHeartbeatMs > STILL_AFTER_MS
  }

  return { still, lastMediaAt: () => lastMediaAt, stop: () => clearInterval(timer) }
}

function ignored(): void {}
