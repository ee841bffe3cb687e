/** Runs pieces of work one after another, in the order they were given. A piece that fails keeps none of the others from its turn. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined) // The caller gets the error; the next piece only waits.
    return done
  }
}
