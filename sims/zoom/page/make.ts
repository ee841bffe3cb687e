/// <reference lib="dom" />
// Creates elements, and controls that report their presses.

export type Attributes = Readonly<Record<string, string | boolean>>

export function make(tag: string, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== false) element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

type Report = (control: string, trusted: boolean) => void
let report: Report = () => undefined

/** Sets the receiver of presses, once there is a server. */
export function reportPressesTo(next: Report): void {
  report = next
}

export function button(control: string, text: string, press: () => void, attributes: Attributes = {}): HTMLElement {
  const element = make('button', { type: 'button', ...attributes }, text)
  element.addEventListener('click', (event) => {
    report(control, event.isTrusted)
    press()
  })
  return element
}
