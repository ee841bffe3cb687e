/** Milliseconds on the machine's monotonic clock, which all its processes share: no adjustment of the wall clock moves it. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
