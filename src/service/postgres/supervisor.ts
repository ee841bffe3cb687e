// Supervises the embedded database: restarts a server that ends unexpectedly, for as long as the service runs.
import { setTimeout as delay } from 'node:timers/promises'
import { onSessionEnd } from './owner-session.ts'
import type { RunningServer } from './server.ts'

/** The first restart has no delay: running bots can wait only a few seconds. */
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 5_000
/** A server that lived this long is restarted without a pause. */
const STEADY_MS = 10_000

export interface Supervision {
  /** The server or its owner session ended, and a restart begins. */
  readonly onLost?: (error: Error) => void
  /** The restart failed and is retried. */
  readonly onRestartFailed?: (error: unknown) => void
  readonly onRestarted?: (tookMs: number) => void
}

export interface Supervisor {
  /** Ends the supervision, not the server. Returns the running server; null: the restart had not succeeded. */
  stop(): Promise<RunningServer | null>
}

export function supervise(
  first: RunningServer,
  restart: () => Promise<RunningServer>,
  { onLost, onRestartFailed, onRestarted }: Supervision,
): Supervisor {
  const stopping = new AbortController()
  let running: RunningServer | null = null
  let restarting: Promise<void> = Promise.resolve()
  let pauseMs = 0

  function watch(it: RunningServer): void {
    const since = performance.now()
    running = it
    onSessionEnd(it.session, (error) => {
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
