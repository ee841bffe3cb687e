// What to press next before the meeting: the facts of one look go in, one step comes out. Pure, so that no step can hide a verdict.
import type { Facts } from './facts.ts'
import type { ControlName } from './tables.ts'

type Step = { readonly kind: 'press'; readonly control: ControlName } | { readonly kind: 'type' }

/** A notice that comes back is not answered for ever, and a switch that does not flip is left as it is. */
const MOST_PRESSES = 5

/** How often each control has been pressed. */
export class Presses {
  readonly #counts = new Map<ControlName, number>()

  note(control: ControlName): void {
    this.#counts.set(control, (this.#counts.get(control) ?? 0) + 1)
  }

  /** The first of these that is there to be pressed, and worth it. What was pressed in vain may lie under another one, which has its turn. */
  first(controls: readonly ControlName[], { visible }: Facts): ControlName | null {
    const countOf = (it: ControlName) => this.#counts.get(it) ?? 0
    const worthy = controls.filter((it) => visible.has(it) && countOf(it) < MOST_PRESSES)
    return worthy.toSorted((a, b) => countOf(a) - countOf(b))[0] ?? null
  }
}

export type Progress = {
  readonly name: string
  readonly notices: readonly ControlName[]
  readonly presses: Presses
  /** When the join button was pressed last. */
  readonly askedAt: number | null
}

const DEVICES = ['microphoneOn', 'cameraOn'] as const
/** A platform may take its time with a request. */
const ASK_AGAIN_AFTER_MS = 10_000

export function nextStep(facts: Facts, { name, notices, presses, askedAt }: Progress, now: number): Step | null {
  const notice = presses.first(notices, facts)
  if (notice) return { kind: 'press', control: notice }
  if (askedAt !== null && now - askedAt < ASK_AGAIN_AFTER_MS) return null
  if (facts.visible.has('nameField') && facts.typed !== name) return { kind: 'type' }
  const control = presses.first(DEVICES, facts) ?? presses.first(['join'], facts)
  return control && { kind: 'press', control }
}
