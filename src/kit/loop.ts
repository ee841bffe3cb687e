// A loop that runs one piece of work at a time: when woken, or after the pause that the last run returned.

export type Loop = {
  /** Ends the pause. */
  wake(): void
  /** Resolves when the run in progress has ended. */
  stop(): Promise<void>
}

export type LoopOptions = {
  /** Returns the milliseconds to pause before the next run. */
  readonly work: () => Promise<number>
  /** A failed run is reported and retried after `retryMs`. */
  readonly onError: (error: unknown) => void
  readonly retryMs: number
}

export function startLoop({ work, onError, retryMs }: LoopOptions): Loop {
  let stopped = false
  let woken = false
  let endPause = (): void => undefined

  /** Turns a synchronous throw into a rejection. */
  async function attempt(): Promise<number> {
    return work()
  }

  async function run(): Promise<void> {
    while (!stopped) {
      woken = false
      const pauseMs = await attempt().catch((error: unknown) => {
        onError(error)
        return retryMs
      })
      if (!woken && !stopped) await pause(pauseMs)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  // Deferred until the caller holds the loop: the first run may wake it.
  const running = Promise.resolve().then(run)
  return {
    wake() {
      woken = true
      endPause()
    },
    async stop() {
      stopped = true
      endPause()
      await running
    },
  }
}
