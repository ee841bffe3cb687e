/// <reference lib="dom" />
// Detects audio without contributing sources: in some calls no packet names its speaker.
import type { Report } from './listeners.ts'

const LOOK_EVERY_MS = 1_000
/** A second of speech has more energy, a second of room noise less. */
const AUDIBLE_ENERGY = 0.000_1
/** Fewer seconds may be a coincidence. */
const ENOUGH_LOOKS = 8

/** Reports once. `hasNamed`: a source has been named. */
export function followUnnamedSound(connections: ReadonlySet<RTCPeerConnection>, hasNamed: () => boolean, report: Report): void {
  let [before, audible] = [0, 0]
  const look = async (): Promise<void> => {
    const energy = await energyOf(connections)
    if (energy - before > AUDIBLE_ENERGY) audible++
    before = energy
    if (hasNamed() || audible >= ENOUGH_LOOKS) clearInterval(timer)
    if (!hasNamed() && audible === ENOUGH_LOOKS) report({ kind: 'unnamed_sound' })
  }
  // A closing connection has no statistics.
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS)
}

/** The energy of all audio received so far. */
async function energyOf(connections: ReadonlySet<RTCPeerConnection>): Promise<number> {
  const reports = await Promise.all([...connections].map((it) => it.getStats()))
  const received = reports.flatMap((it) => [...it.values()]).filter(({ type, kind }) => type === 'inbound-rtp' && kind === 'audio')
  return received.reduce((sum, { totalAudioEnergy = 0 }) => sum + totalAudioEnergy, 0)
}
