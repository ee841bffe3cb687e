/** Runs tasks one after another, in the order they were given. A failed task does not stop the next. */
export function createSerialQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined) // The caller gets the error; the next task only waits.
    return done
  }
}
