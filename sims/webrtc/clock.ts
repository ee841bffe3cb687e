// The media clock: regular ticks with their nominal time, also when the process was late.

/** After a longer gap the process was stopped, not just busy. */
const MOST_LATE_MS = 2_000

/** Returns a function that stops it. */
export function everyTick(periodMs: number, tick: (index: number, nowMs: number) => void): () => void {
  const start = performance.now()
  const wallStart = Date.now()
  let index = 0
  let timer: NodeJS.Timeout
  const run = () => {
    const passedMs = performance.now() - start
    if (passedMs - index * periodMs > MOST_LATE_MS) index = Math.floor(passedMs / periodMs)
    for (; index * periodMs <= passedMs; index++) tick(index, wallStart + index * periodMs)
    timer = setTimeout(run, Math.max(1, index * periodMs - (performance.now() - start)))
  }
  timer = setTimeout(run, 0)
  return () => clearTimeout(timer)
}
