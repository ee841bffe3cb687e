// A part of the page: an element that is updated with the call's state.
import type { CallState } from '../state.ts'

export type View = {
  readonly element: HTMLElement
  update(state: CallState): void
}
