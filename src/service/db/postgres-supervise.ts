// Keeps the embedded database running: a server that ends unasked is started again under the running service, as often as it takes.
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from './postgres-launch.ts'
import { whenLost } from './postgres-session.ts'

/** The first restart is not delayed: bots that run can wait a few seconds only. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A server that lived this long is restarted without a pause. */
const STEADY_MS = 10_000

export interface Supervision {
  /** The server ended, or its owner's connection did; it is being started again. */
  readonly onLost?: (error: Error) => void
  /** It could not be started; that is tried again. */
  readonly onRestartFailed?: (error: unknown) => void
  readonly onRestarted?: (tookMs: number) => void
}

export interface Supervisor {
  /** Ends the supervision, not the server: what runs now, or null when it could not be started again. */
  stop(): Promise<Running | null>
}

export function supervise(
  first: Running,
  restart: () => Promise<Running>,
  { onLost, onRestartFailed, onRestarted }: Supervision,
): Supervisor {
  const stopping = new AbortController()
  let running: Running | null = null
  let restarting: Promise<void> = Promise.resolve()
  let pauseMs = 0

  function watch(it: Running): void {
    const since = performance.now()
    running = it
    whenLost(it.session, (error) => {
      if (stopping.signal.aborted) return
      running = null
      if (performance.now() - since > STEADY_MS) pauseMs = 0
      onLost?.(error)
      restarting = restartAgain()
    })
  }

  async function restartAgain(): Promise<void> {
    const since = performance.now()
    while (!stopping.signal.aborted) {
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, pauseMs * 2), LONGEST_PAUSE_MS)
      if (stopping.signal.aborted) return
      try {
        watch(await restart())
        return onRestarted?.(Math.round(performance.now() - since))
      } catch (error) {
        onRestartFailed?.(error)
      }
    }
  }

  watch(first)
  return {
    async stop() {
      stopping.abort()
      await restarting
      return running
    },
  }
}
