// Finds the frames of a piece that only repeat the frame before, because no source has sent a new one. They are not encoded.

/** Inclusive numbers of frames. */
export type FrameSpan = { readonly first: number; readonly last: number }

export type Length = { readonly frames: number; readonly fps: number }

/** ffmpeg rounds times in several steps, so a new picture may appear one frame earlier or later than its time says. */
const TOLERANCE = 1
/** Between frames that are this far apart players seek and show their progress. It is also the shortest span worth leaving out. */
const LONGEST_FRAME_SECONDS = 1

/** `changesMs`: the times at which the picture may change, from the start of the piece. The last frame of a piece is in no span. */
export function repeatedSpans(changesMs: readonly number[], { frames, fps }: Length): readonly FrameSpan[] {
  const changed = changesMs.map((ms) => Math.round((ms * fps) / 1000)).filter((frame) => frame > 0 && frame < frames)
  const changes = [...new Set([0, ...changed, frames])].sort((a, b) => a - b)
  return changes
    .slice(1)
    .map((next, index) => ({ first: (changes[index] ?? 0) + TOLERANCE + 1, last: next - TOLERANCE - 1 }))
    .filter(({ first, last }) => last - first >= LONGEST_FRAME_SECONDS * fps)
}

/** The ffmpeg filter that leaves out the repeated frames, except for one per second. The others keep their times. */
export function withoutRepeats(repeats: readonly FrameSpan[], fps: number): readonly string[] {
  if (repeats.length === 0) return []
  const isRepeated = repeats.map(({ first, last }) => `between(n,${first},${last})`).join('+')
  return [`select='not(${isRepeated})+not(mod(n,${LONGEST_FRAME_SECONDS * fps}))'`]
}
