// Chooses the frame rate of a composed video: high enough for its fastest source, because each further frame costs an encoding.
import type { MediaPlan, Run } from '../plan.ts'

const RATES = [5, 10, 15, 20] as const
const HIGHEST = 25
/** Senders vary: a camera of 15 frames per second sends 16 in some seconds. */
const TOLERANCE = 1.1
/** A shorter segment says little about its rate. */
const LEAST_MS = 2_000

export function frameRateOf({ participants }: MediaPlan): number {
  const fastest = Math.max(0, ...participants.flatMap(({ runs }) => [...runs.camera, ...runs.screen].map(rateOf)))
  return RATES.find((rate) => fastest <= rate * TOLERANCE) ?? HIGHEST
}

/** Of its fastest segment. Frames in a finished container are not counted. */
function rateOf({ codec, segments }: Run): number {
  const rates = segments
    .filter(({ startMs, endMs }) => endMs - startMs >= LEAST_MS)
    .map(({ startMs, endMs, frames }) => (frames * 1000) / (endMs - startMs))
  return codec === 'webm' || rates.length === 0 ? HIGHEST : Math.max(...rates)
}
