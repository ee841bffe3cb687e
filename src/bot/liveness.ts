// Detects a frozen page or a frozen recording in it. The page is probed, and its media worker sends heartbeats.
import type { CaptureHealth } from './capture/capture.ts'

const CHECK_EVERY_MS = 1_000
/** Longer than a busy machine ever took, and short enough to detect a freeze within ten seconds. */
const FROZEN_AFTER_MS = 7_000

export type LivenessTools = {
  /** Resolves when the page responds. */
  readonly touch: () => Promise<void>
  readonly health: () => CaptureHealth
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

export type Liveness = {
  /** Resolves with a message when the page or its recording is frozen. */
  readonly frozen: Promise<string>
  /** Time of the last media on the given clock; null before the first. */
  lastMediaAt(): number | null
  stop(): void
}

export function watchLiveness({ touch, health, now = () => performance.now() }: LivenessTools, wallClock: () => number): Liveness {
  let touchedMs = now()
  let waiting = false
  let frames = 0
  let lastMediaAt: number | null = null
  const frozen = Promise.withResolvers<string>()

  const timer = setInterval(() => {
    const total = health().pages.reduce((sum, page) => sum + page.frames, 0)
    if (total > frames) lastMediaAt = wallClock()
    frames = total
    if (!waiting) {
      waiting = true
      // A page that throws is closed, which has its own event.
      touch()
        .then(() => {
          touchedMs = now()
        }, ignored)
        .finally(() => {
          waiting = false
        })
    }
    if (now() - touchedMs > FROZEN_AFTER_MS) frozen.resolve(`The page has not responded for ${FROZEN_AFTER_MS / 1000} s`)
    if (health().pages.some(isFrozen)) frozen.resolve(`The recording in the page has not responded for ${FROZEN_AFTER_MS / 1000} s`)
  }, CHECK_EVERY_MS)

  function isFrozen({ connected, lastHeartbeatMs }: CaptureHealth['pages'][number]): boolean {
    return connected && performance.now() - lastHeartbeatMs > FROZEN_AFTER_MS
  }

  return { frozen: frozen.promise, lastMediaAt: () => lastMediaAt, stop: () => clearInterval(timer) }
}

function ignored(): void {}
