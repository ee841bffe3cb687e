// Stretches of session time, and how they are joined, cut and asked.

/** From `fromMs` on and before `toMs`. */
export type Span = { readonly fromMs: number; readonly toMs: number }

/** In order and apart: what touches, overlaps or is closer than `bridgeMs` becomes one. */
export function joined(spans: readonly Span[], bridgeMs = 0): readonly Span[] {
  const ordered = spans.filter(({ fromMs, toMs }) => toMs > fromMs).sort((a, b) => a.fromMs - b.fromMs)
  const result: Span[] = []
  for (const span of ordered) {
    const last = result.at(-1)
    if (last && span.fromMs <= last.toMs + bridgeMs) result[result.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) }
    else result.push({ fromMs: span.fromMs, toMs: span.toMs })
  }
  return result
}

/** What of `spans` lies within `frame`. */
export function within(spans: readonly Span[], frame: Span): readonly Span[] {
  return spans
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, frame.fromMs), toMs: Math.min(toMs, frame.toMs) }))
    .filter(({ fromMs, toMs }) => toMs > fromMs)
}

export function overlaps(a: Span, b: Span): boolean {
  return a.fromMs < b.toMs && b.fromMs < a.toMs
}

/** Answers "is this moment inside?" for moments that never go back, in one walk over spans that are in order and apart. */
export function walker(spans: readonly Span[]): (atMs: number) => boolean {
  let next = 0
  return (atMs) => {
    while (next < spans.length && (spans[next]?.toMs ?? 0) <= atMs) next++
    const span = spans[next]
    return span !== undefined && span.fromMs <= atMs
  }
}
