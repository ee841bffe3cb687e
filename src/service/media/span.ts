// Spans of session time: merging, clipping and lookup.

/** Half-open: includes `fromMs` and excludes `toMs`. */
export type Span = { readonly fromMs: number; readonly toMs: number }

/** Sorts the spans, and merges those that overlap, touch or are at most `bridgeMs` apart. */
export function mergeSpans(spans: readonly Span[], bridgeMs = 0): readonly Span[] {
  const ordered = spans.filter(({ fromMs, toMs }) => toMs > fromMs).sort((a, b) => a.fromMs - b.fromMs)
  const result: Span[] = []
  for (const span of ordered) {
    const last = result.at(-1)
    if (last && span.fromMs <= last.toMs + bridgeMs) result[result.length - 1] = { ...last, toMs: Math.max(last.toMs, span.toMs) }
    else result.push({ fromMs: span.fromMs, toMs: span.toMs })
  }
  return result
}

/** The parts of `spans` that lie within `frame`. */
export function clipSpans(spans: readonly Span[], frame: Span): readonly Span[] {
  return spans
    .map(({ fromMs, toMs }) => ({ fromMs: Math.max(fromMs, frame.fromMs), toMs: Math.min(toMs, frame.toMs) }))
    .filter(({ fromMs, toMs }) => toMs > fromMs)
}

export function overlaps(a: Span, b: Span): boolean {
  return a.fromMs < b.toMs && b.fromMs < a.toMs
}

/** Returns whether a time lies within any of the merged spans. To be called with ascending times. */
export function spanLookup(spans: readonly Span[]): (atMs: number) => boolean {
  let next = 0
  return (atMs) => {
    while (next < spans.length && (spans[next]?.toMs ?? 0) <= atMs) next++
    const span = spans[next]
    return span !== undefined && span.fromMs <= atMs
  }
}
