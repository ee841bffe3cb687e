// Runs work in the order of its calls, within a limit that may change meanwhile.

/** An abort ends the wait, and rejects with the signal's reason. Work that has begun runs to its end. */
export type Semaphore = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>

/** `limit` is asked at each call and each end. It is at least one. */
export function createSemaphore(limit: () => number): Semaphore {
  const waiting = new Set<() => void>()
  let running = 0
  const admit = (): void => {
    for (const begin of waiting) {
      if (running >= limit()) return
      waiting.delete(begin)
      running += 1
      begin()
    }
  }
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => waiting.delete(resolve) && reject(signal?.reason)
    signal?.addEventListener('abort', leave)
    waiting.add(resolve)
    admit()
    await promise.finally(() => signal?.removeEventListener('abort', leave))
  }
  return async (work, signal) => {
    await turn(signal)
    try {
      return await work()
    } finally {
      running -= 1
      admit()
    }
  }
}
