// A loop that does one piece of work at a time: when woken, or when its last answer says it is time again.

export type Loop = {
  /** Do not wait for the pause to pass. */
  wake(): void
  /** Resolves when the work under way, if any, has ended. */
  stop(): Promise<void>
}

export type LoopOptions = {
  /** Answers how many milliseconds to pause before the next time. */
  readonly work: () => Promise<number>
  /** A failed piece of work is told and tried again after `retryMs`. */
  readonly onError: (error: unknown) => void
  readonly retryMs: number
}

export function startLoop({ work, onError, retryMs }: LoopOptions): Loop {
  let stopped = false
  let woken = false
  let endPause = (): void => undefined

  /** A throw before there is a promise is a failure like any other. */
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

  // Not before the caller holds the loop: the first piece of work may want to wake it.
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
