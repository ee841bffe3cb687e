// The loudness of a sound over time, and the similarity of two such curves.

/** Loudness of a mono WAV file in steps of this many milliseconds. */
export function loudnessOf(wav: Buffer, stepMs: number): readonly number[] {
  const step = Math.round((wav.readUInt32LE(24) * stepMs) / 1000)
  const samples = Float32Array.from({ length: (wav.length - 44) >> 1 }, (_, index) => wav.readInt16LE(44 + index * 2) / 32_768)
  return stepsOf(samples, step).map(loudness)
}

export function stepsOf(samples: Float32Array, step: number): readonly Float32Array[] {
  return Array.from({ length: Math.floor(samples.length / step) }, (_, index) => samples.subarray(index * step, (index + 1) * step))
}

export function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, it) => sum + it * it, 0) / Math.max(1, samples.length))
}

/** The similarity of two loudness curves, at best 1. A browser stretches audio that arrives unevenly, so both are aligned by dynamic time warping. Silence around them is ignored. */
export function likeness(some: readonly number[], others: readonly number[]): number {
  const [left, right] = [trimmed(some), trimmed(others)]
  return correlation(pairedUp(left, right))
}

type Pair = readonly [left: number, right: number]
type Way = { readonly cost: number; readonly pairs: readonly Pair[] }

/** The cheapest alignment, forward in one or both curves at each step. */
function pairedUp(left: readonly number[], right: readonly number[]): readonly Pair[] {
  const start: Way = { cost: 0, pairs: [] }
  let before: readonly (Way | undefined)[] = []
  for (const [row, from] of left.entries()) {
    const ways: Way[] = []
    for (const [column, to] of right.entries()) {
      const origins = [before[column - 1], before[column], ways[column - 1]].filter((way) => way !== undefined)
      const cheapest = row + column === 0 ? start : origins.reduce((best, way) => (way.cost < best.cost ? way : best))
      ways.push({ cost: cheapest.cost + Math.abs(from - to), pairs: [...cheapest.pairs, [from, to]] })
    }
    before = ways
  }
  return before.at(-1)?.pairs ?? []
}

function trimmed(course: readonly number[]): readonly number[] {
  const isLoud = (value: number) => value > 0.02
  return course.slice(course.findIndex(isLoud), course.findLastIndex(isLoud) + 1)
}

function correlation(pairs: readonly Pair[]): number {
  const sum = (of: (pair: Pair) => number) => pairs.reduce((total, pair) => total + of(pair), 0)
  const [left, right] = [sum((it) => it[0]) / pairs.length, sum((it) => it[1]) / pairs.length]
  const product = sum((it) => (it[0] - left) * (it[1] - right))
  return product / Math.sqrt(sum((it) => (it[0] - left) ** 2) * sum((it) => (it[1] - right) ** 2))
}
