// Aligns tokens with audio frames: the monotonic path through the attention weights with the highest sum.

export type FrameSpan = { readonly first: number; readonly last: number }

/** The median filter's radius in frames. */
const SMOOTHING = 3
const TINY = 1e-6

/** `attention` has one row for each token and one weight for each frame. */
export function alignTokens(attention: readonly Float32Array[], frames: number): readonly FrameSpan[] {
  if (attention.length === 0 || frames === 0) return []
  return bestPath(normalised(attention, frames).map(smoothed), frames)
}

/** Normalises each frame over all tokens, so that only relative attention counts. */
function normalised(attention: readonly Float32Array[], frames: number): readonly Float32Array[] {
  const rows = attention.map((row) => Float32Array.from(row))
  for (let frame = 0; frame < frames; frame++) {
    const column = rows.map((row) => row[frame] ?? 0)
    const mean = column.reduce((sum, weight) => sum + weight, 0) / column.length
    const spread = Math.sqrt(column.reduce((sum, weight) => sum + (weight - mean) ** 2, 0) / column.length) + TINY
    for (const row of rows) row[frame] = ((row[frame] ?? 0) - mean) / spread
  }
  return rows
}

/** A median filter, which keeps edges. */
function smoothed(row: Float32Array): Float32Array {
  const last = row.length - 1
  return row.map((_, frame) => {
    const around = Array.from({ length: 2 * SMOOTHING + 1 }, (_, step) => row[Math.min(last, Math.max(0, frame + step - SMOOTHING))] ?? 0)
    return around.sort((a, b) => a - b)[SMOOTHING] ?? 0
  })
}

const STAY = 0
const ADVANCE = 1
const SHARE = 2

/** Dynamic time warping: from frame to frame the token stays or advances. Short tokens may share a frame. */
function bestPath(gain: readonly Float32Array[], frames: number): readonly FrameSpan[] {
  const steps = gain.map(() => new Uint8Array(frames))
  let above: Float64Array | null = null
  for (const [token, row] of gain.entries()) {
    const best: Float64Array = new Float64Array(frames)
    for (let frame = 0; frame < frames; frame++) {
      const ways = [best[frame - 1], above?.[frame - 1], above?.[frame]].map((way) => way ?? Number.NEGATIVE_INFINITY)
      const most = Math.max(...ways)
      const step = steps[token]
      if (step) step[frame] = ways.indexOf(most)
      best[frame] = (row[frame] ?? 0) + (token === 0 && frame === 0 ? 0 : most)
    }
    above = best
  }
  return walkBack(steps, frames)
}

function walkBack(steps: readonly Uint8Array[], frames: number): readonly FrameSpan[] {
  const spans: FrameSpan[] = []
  let token = steps.length - 1
  let frame = frames - 1
  let last = frame
  while (token > 0 || frame > 0) {
    const step = steps[token]?.[frame] ?? STAY
    if (step !== STAY) {
      spans.push({ first: frame, last })
      token--
      last = step === SHARE ? frame : frame - ADVANCE
    }
    if (step !== SHARE) frame--
  }
  spans.push({ first: 0, last })
  return spans.reverse()
}
