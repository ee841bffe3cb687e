// Runs work once for each key: a repeated key joins the run in progress, or gets its result for a while.

type RunOnceOptions<Result> = {
  /** How long a result is kept after the end of its run. */
  readonly forMs: number
  readonly nowMs: () => number
  /** Default: every result is kept. A run that rejects never is. */
  readonly isKept?: (result: Result) => boolean
}

type Run<Result> = { readonly result: Promise<Result>; endedMs: number | null }

export function createRunOnce<Result>({ forMs, nowMs, isKept = () => true }: RunOnceOptions<Result>) {
  const runs = new Map<string, Run<Result>>()

  function forgetOld(): void {
    for (const [key, { endedMs }] of runs) if (endedMs !== null && nowMs() - endedMs >= forMs) runs.delete(key)
  }

  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    forgetOld()
    const before = runs.get(key)
    if (before) return before.result
    const run: Run<Result> = { result: work(), endedMs: null }
    runs.set(key, run)
    const end = (kept: boolean): void => {
      run.endedMs = nowMs()
      if (!kept) runs.delete(key)
    }
    run.result.then(
      (result) => end(isKept(result)),
      () => end(false), // The caller gets the error.
    )
    return run.result
  }
}
