// Chooses the next control to press before the meeting, from one snapshot of the page. Pure.
import type { Facts } from './facts.ts'
import type { ControlName } from './page-rules.ts'

type Step = { readonly kind: 'press'; readonly control: ControlName } | { readonly kind: 'type' } | { readonly kind: 'type_passcode' }

/** Limits presses: a notice may come back for ever, and a switch may not work. */
const MOST_PRESSES = 5
/** A press fails where an element covers the control, and on a busy machine. */
const MOST_TRIES = 15

/** Counts the presses of each control. */
export class Presses {
  readonly #tries = new Map<ControlName, number>()
  readonly #presses = new Map<ControlName, number>()

  count(control: ControlName, isPressed: boolean): void {
    this.#tries.set(control, (this.#tries.get(control) ?? 0) + 1)
    if (isPressed) this.#presses.set(control, (this.#presses.get(control) ?? 0) + 1)
  }

  /** The first of these that can be pressed and has tries left. A control without effect may be covered by the next one. */
  first(controls: readonly ControlName[], { visible }: Facts): ControlName | null {
    const triesOf = (it: ControlName) => this.#tries.get(it) ?? 0
    const isWorth = (it: ControlName) => (this.#presses.get(it) ?? 0) < MOST_PRESSES && triesOf(it) < MOST_TRIES
    const worthy = controls.filter((it) => visible.has(it) && isWorth(it))
    return worthy.toSorted((a, b) => triesOf(a) - triesOf(b))[0] ?? null
  }
}

export type Progress = {
  readonly name: string
  /** Null: there is none to be typed. */
  readonly passcode?: string | null
  readonly notices: readonly ControlName[]
  readonly presses: Presses
  /** When the join button was last pressed. */
  readonly askedAt: number | null
}

const DEVICES = ['microphoneOn', 'cameraOn'] as const
/** The time that a platform gets to answer a request to join. */
const ASK_AGAIN_AFTER_MS = 10_000

export function nextStep(facts: Facts, { name, passcode = null, notices, presses, askedAt }: Progress, now: number): Step | null {
  const notice = presses.first(notices, facts)
  if (notice) return { kind: 'press', control: notice }
  if (askedAt !== null && now - askedAt < ASK_AGAIN_AFTER_MS) return null
  if (facts.visible.has('nameField') && facts.typed !== name) return { kind: 'type' }
  const isAsked = passcode !== null && facts.typedPasscode !== passcode && presses.first(['passcodeField'], facts) !== null
  if (isAsked) return { kind: 'type_passcode' }
  const control = presses.first(DEVICES, facts) ?? presses.first(['join'], facts)
  return control && { kind: 'press', control }
}
