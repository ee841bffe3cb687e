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

/** A median filter, which keeps edges. One array for all frames: this runs for each frame of each token. */
function smoothed(row: Float32Array): Float32Array {
  const last = row.length - 1
  const around = new Float32Array(2 * SMOOTHING + 1)
  return row.map((_, frame) => {
    for (let step = 0; step < around.length; step++) around[step] = row[Math.min(last, Math.max(0, frame + step - SMOOTHING))] ?? 0
    return around.sort()[SMOOTHING] ?? 0
  })
}

const STAY = 0
const ADVANCE = 1
const SHARE = 2
const NOT_REACHED = Number.NEGATIVE_INFINITY

/** Dynamic time warping: from frame to frame the token stays or advances. Short tokens may share a frame. */
function bestPath(gain: readonly Float32Array[], frames: number): readonly FrameSpan[] {
  const steps = gain.map(() => new Uint8Array(frames))
  let above = new Float64Array(frames).fill(NOT_REACHED)
  for (const [token, row] of gain.entries()) {
    const best = new Float64Array(frames)
    for (let frame = 0; frame < frames; frame++) {
      const ways = [best[frame - 1], above[frame - 1], above[frame]] as const
      const step = bestOf(...ways)
      steps[token]?.fill(step, frame, frame + 1)
      best[frame] = (row[frame] ?? 0) + (token === 0 && frame === 0 ? 0 : (ways[step] ?? NOT_REACHED))
    }
    above = best
  }
  return walkBack(steps, frames)
}

function bestOf(stay = NOT_REACHED, advance = NOT_REACHED, share = NOT_REACHED): typeof STAY | typeof ADVANCE | typeof SHARE {
  if (stay >= advance && stay >= share) return STAY
  return advance >= share ? ADVANCE : SHARE
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
