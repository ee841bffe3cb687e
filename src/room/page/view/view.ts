// A part of the page: an element that is updated with a state, by default that of the call.
import type { CallState } from '../state.ts'

export type View<State = CallState> = {
  readonly element: HTMLElement
  update(state: State): void
}
