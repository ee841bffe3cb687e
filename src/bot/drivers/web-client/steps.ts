// What to press next before the meeting: the facts of one look go in, one step comes out. Pure, so that no step can hide a verdict.
import type { Facts } from './facts.ts'
import type { ControlName } from './tables.ts'

type Step = { readonly kind: 'press'; readonly control: ControlName } | { readonly kind: 'type' }

/** A notice that comes back is not answered for ever, and a switch that does not flip is left as it is. */
const MOST_PRESSES = 5
/** A press fails where something lies over the control, and on a busy machine. */
const MOST_TRIES = 15

/** How often each control has been pressed. */
export class Presses {
  readonly #tries = new Map<ControlName, number>()
  readonly #presses = new Map<ControlName, number>()

  note(control: ControlName, isPressed: boolean): void {
    this.#tries.set(control, (this.#tries.get(control) ?? 0) + 1)
    if (isPressed) this.#presses.set(control, (this.#presses.get(control) ?? 0) + 1)
  }

  /** The first of these that is there to be pressed, and worth it. What was pressed in vain may lie under another one, which has its turn. */
  first(controls: readonly ControlName[], { visible }: Facts): ControlName | null {
    const triesOf = (it: ControlName) => this.#tries.get(it) ?? 0
    const isWorth = (it: ControlName) => (this.#presses.get(it) ?? 0) < MOST_PRESSES && triesOf(it) < MOST_TRIES
    const worthy = controls.filter((it) => visible.has(it) && isWorth(it))
    return worthy.toSorted((a, b) => triesOf(a) - triesOf(b))[0] ?? null
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
