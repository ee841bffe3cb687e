/** Milliseconds on the machine's monotonic clock. All processes share it, and changes of the wall clock do not move it. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
