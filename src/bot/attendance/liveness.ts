// Detects a frozen page or a frozen recording in it. The page is probed, and its media worker sends heartbeats.
import { type CpuWaits, cpuWaits } from '../../kit/cpu-wait.ts'
import { Silence } from '../../kit/silence.ts'
import type { CaptureHealth } from '../capture/capture.ts'

const CHECK_EVERY_MS = 1_000

export type LivenessTools = {
  /** Resolves when the page responds. */
  readonly touch: () => Promise<void>
  readonly health: () => CaptureHealth
  /** The time that this process and its browser have waited for a CPU. */
  readonly waits?: () => CpuWaits
}

export type Liveness = ReturnType<typeof watchLiveness>

export function watchLiveness({ touch, health, waits = () => cpuWaits(process.pid) }: LivenessTools, wallClock: () => number) {
  const silence = new Silence(waits)
  const recordings = new Map<number, { heartbeatMs: number; silentChecks: number }>()
  let pageChecks = 0
  let waiting = false
  let frames = 0
  let lastMediaAt: number | null = null
  const frozen = Promise.withResolvers<string>()

  function probe(): void {
    if (waiting) return
    waiting = true
    // A page that throws is closed, which has its own event.
    touch()
      .then(() => {
        pageChecks = 0
      }, ignored)
      .finally(() => {
        waiting = false
      })
  }

  /** Returns the checks without a heartbeat of the recording that is silent for longest. */
  function recordingChecks(pages: CaptureHealth['pages']): number {
    const checks = pages.map(({ connected, lastHeartbeatMs: heartbeatMs }, index) => {
      const before = recordings.get(index)
      const isSilent = connected && before?.heartbeatMs === heartbeatMs
      const silentChecks = isSilent ? before.silentChecks + 1 : 0
      recordings.set(index, { heartbeatMs, silentChecks })
      return silentChecks
    })
    return Math.max(0, ...checks)
  }

  const timer = setInterval(() => {
    const { pages } = health()
    const total = pages.reduce((sum, it) => sum + it.frames, 0)
    if (total > frames) lastMediaAt = wallClock()
    frames = total
    probe()
    pageChecks += 1
    const silentChecks = recordingChecks(pages)
    const most = silence.limit(Math.max(pageChecks, silentChecks))
    const seconds = (most * CHECK_EVERY_MS) / 1000
    if (pageChecks > most) frozen.resolve(`The page has not responded for ${seconds} s`)
    if (silentChecks > most) frozen.resolve(`The recording in the page has not responded for ${seconds} s`)
  }, CHECK_EVERY_MS)

  return {
    /** Resolves with a message when the page or its recording is frozen. */
    frozen: frozen.promise,
    /** Time of the last media on the given clock; null before the first. */
    lastMediaAt: () => lastMediaAt,
    /** True while the page is silent and its browser waits for a CPU. */
    isStarved: () => silence.isStarved,
    stop: () => clearInterval(timer),
  }
}

function ignored(): void {}
