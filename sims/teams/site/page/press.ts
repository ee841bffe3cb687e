/// <reference lib="dom" />
// Controls: each reports its press to the server and then acts.
import { type Attributes, make } from './make.ts'
import { reportPress } from './server.ts'

export type Control = {
  /** Its name in the list of presses, in any language. */
  readonly control: string
  readonly attributes?: Attributes
  readonly tag?: 'button' | 'div' | 'input'
  readonly press: () => void
}

export function pressable({ control, attributes = {}, tag = 'button', press }: Control, ...children: (Node | string)[]): HTMLElement {
  const defaults: Attributes = tag === 'button' ? { type: 'button' } : { tabindex: '0' }
  const element = make(tag, { ...defaults, ...attributes }, ...children)
  element.addEventListener('click', (event) => {
    reportPress({ control, label: element.getAttribute('aria-label') ?? element.innerText, trusted: event.isTrusted })
    press()
  })
  return element
}

export function button(control: string, text: string, press: () => void, attributes: Attributes = {}): HTMLElement {
  return pressable({ control, attributes, press }, text)
}
