// Chooses the active speaker over time for the speaker view, without flicker.
import type { PlannedParticipant } from '../plan.ts'
import type { Span } from '../span.ts'

/** From `fromMs` on, the participant `id` is the active speaker. */
export type SpeakerChange = { readonly fromMs: number; readonly id: string }

const HOLD_MS = 1_500
/** Shorter speech is an interjection and does not change the active speaker. */
const SHORTEST_MS = 600

type Speech = Span & { readonly id: string }

/**
 * The active speaker stays for at least `HOLD_MS`, while they go on speaking, and through silence. After that the active speaker is the
 * participant who has been speaking for longest.
 */
export function activeSpeakers(participants: readonly PlannedParticipant[]): readonly SpeakerChange[] {
  const speeches = participants
    .flatMap(({ id, speaking }) => speaking.map((span) => ({ ...span, id })))
    .filter(({ fromMs, toMs }) => toMs - fromMs >= SHORTEST_MS)
    .sort((a, b) => a.fromMs - b.fromMs)
  const changes: SpeakerChange[] = []
  let open: Speech[] = []
  let [next, beforeMs] = [0, 0]
  for (const atMs of momentsOf(speeches)) {
    // The end of the hold time may change the active speaker too.
    const freeMs = (changes.at(-1)?.fromMs ?? 0) + HOLD_MS
    if (freeMs > beforeMs && freeMs < atMs) switchSpeaker(changes, open, freeMs)
    open = open.filter(({ toMs }) => toMs > atMs)
    for (let speech = speeches[next]; speech && speech.fromMs <= atMs; speech = speeches[++next]) open.push(speech)
    switchSpeaker(changes, open, atMs)
    beforeMs = atMs
  }
  return changes
}

function switchSpeaker(changes: SpeakerChange[], open: readonly Speech[], atMs: number): void {
  const current = changes.at(-1)
  const speaking = open.filter(({ toMs }) => toMs > atMs)
  if (speaking.some(({ id }) => id === current?.id)) return
  const [longest] = speaking
  if (longest && (!current || atMs - current.fromMs >= HOLD_MS)) changes.push({ fromMs: atMs, id: longest.id })
}

function momentsOf(speeches: readonly Speech[]): readonly number[] {
  return [...new Set(speeches.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b)
}
