// Does work once for each key: a repeated key joins the call in progress, or gets its result for a while.

type OncePerKeyOptions<Result> = {
  /** How long a result is kept after the end of its call. */
  readonly forMs: number
  readonly nowMs: () => number
  /** Default: every result is kept. A call that rejects never is. */
  readonly isKept?: (result: Result) => boolean
}

type Call<Result> = { readonly result: Promise<Result>; endedMs: number | null }

export function createOncePerKey<Result>({ forMs, nowMs, isKept = () => true }: OncePerKeyOptions<Result>) {
  const calls = new Map<string, Call<Result>>()

  function forgetOld(): void {
    for (const [key, { endedMs }] of calls) if (endedMs !== null && nowMs() - endedMs >= forMs) calls.delete(key)
  }

  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    forgetOld()
    const before = calls.get(key)
    if (before) return before.result
    const call: Call<Result> = { result: work(), endedMs: null }
    calls.set(key, call)
    const end = (kept: boolean): void => {
      call.endedMs = nowMs()
      if (!kept) calls.delete(key)
    }
    call.result.then(
      (result) => end(isKept(result)),
      () => end(false), // The caller gets the error.
    )
    return call.result
  }
}
