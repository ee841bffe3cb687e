// What every part of the page is: an element, kept in step with the call.
import type { CallState } from '../state.ts'

export type View = {
  readonly element: HTMLElement
  update(state: CallState): void
}
