/// <reference lib="dom" />
// Rate limits of the SDK's functions. A call that comes too soon does nothing and calls nothing back.

const LIMITS_MS: Readonly<Record<string, number>> = { join: 10_000, sendChat: 1_000, mute: 1_000, rename: 5_000, startScreenShare: 1_000 }
const calledAtMs = new Map<string, number>()

export function isLimited(method: string): boolean {
  const nowMs = performance.now()
  const isTooSoon = nowMs - (calledAtMs.get(method) ?? Number.NEGATIVE_INFINITY) < (LIMITS_MS[method] ?? 0)
  if (!isTooSoon) calledAtMs.set(method, nowMs)
  return isTooSoon
}
