// Whom to look at: the picture follows who speaks, without flicker.
import type { PlannedParticipant } from './plan.ts'
import type { Span } from './span.ts'

/** `id` is looked at from here on. */
export type Look = { readonly fromMs: number; readonly id: string }

const HOLD_MS = 1_500
/** An "mhm" does not turn heads. */
const SHORTEST_MS = 600

type Speech = Span & { readonly id: string }

/**
 * Whoever is looked at keeps the picture for at least `HOLD_MS`, while they go on speaking, and through silence. When they stop, it
 * passes to the one who has been speaking for longest.
 */
export function activeSpeakers(participants: readonly PlannedParticipant[]): readonly Look[] {
  const speeches = participants
    .flatMap(({ id, speaking }) => speaking.map((span) => ({ ...span, id })))
    .filter(({ fromMs, toMs }) => toMs - fromMs >= SHORTEST_MS)
    .sort((a, b) => a.fromMs - b.fromMs)
  const looks: Look[] = []
  let open: Speech[] = []
  let [next, beforeMs] = [0, 0]
  for (const atMs of momentsOf(speeches)) {
    // The moment at which the one looked at has held the picture long enough is a moment too.
    const freeMs = (looks.at(-1)?.fromMs ?? 0) + HOLD_MS
    if (freeMs > beforeMs && freeMs < atMs) turn(looks, open, freeMs)
    open = open.filter(({ toMs }) => toMs > atMs)
    for (let speech = speeches[next]; speech && speech.fromMs <= atMs; speech = speeches[++next]) open.push(speech)
    turn(looks, open, atMs)
    beforeMs = atMs
  }
  return looks
}

function turn(looks: Look[], open: readonly Speech[], atMs: number): void {
  const current = looks.at(-1)
  const speaking = open.filter(({ toMs }) => toMs > atMs)
  if (speaking.some(({ id }) => id === current?.id)) return
  const [longest] = speaking
  if (longest && (!current || atMs - current.fromMs >= HOLD_MS)) looks.push({ fromMs: atMs, id: longest.id })
}

function momentsOf(speeches: readonly Speech[]): readonly number[] {
  return [...new Set(speeches.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b)
}
