/// <reference lib="dom" />
// Builds the page from code. Class names and jsnames are mapped to those of this load.
import { boot, scenario } from './boot.ts'
import { reportPress } from './server.ts'

export type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** Names for scripts, not for styles: they are the same in every load. */
const FIXED_CLASSES: ReadonlySet<string> = new Set(['notranslate', 'google-symbols'])
const rotation = Math.random().toString(36).slice(2, 5)

export function classOf(names: string): string {
  return names
    .split(' ')
    .map((name) => (FIXED_CLASSES.has(name) ? name : (boot.classes[name] ?? name)))
    .join(' ')
}

/** True is an empty attribute. False and undefined add none. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    element.setAttribute(key, value === true ? '' : written(key, value))
  }
  element.append(...children)
  return element
}

function written(key: string, value: string): string {
  if (key === 'class') return classOf(value)
  if (key === 'jsname' && scenario.jsnames === 'rotating') return `${rotation}${value.slice(3)}`
  return value
}

/** Icons are ligatures of a font, such as `mic_off`. They are part of the text of their parent. */
export function icon(ligature: string): HTMLElement {
  return make('i', { class: `google-symbols notranslate icon icon-${ligature.replaceAll('_', '-')}`, 'aria-hidden': 'true' }, ligature)
}

export type Control = {
  /** Its name in the list of presses, in any language. */
  readonly control: string
  readonly attributes?: Attributes
  readonly tag?: 'button' | 'div' | 'li'
  readonly press: () => void
}

/** A control: it reports the press to the server and then acts. */
export function pressable({ control, attributes = {}, tag = 'button', press }: Control, ...children: (Node | string)[]): HTMLElement {
  const roles = tag === 'div' ? { role: 'button', tabindex: '0' } : {}
  const element = make(tag, { ...roles, ...attributes }, ...children)
  element.addEventListener('click', (event) => {
    if (element.getAttribute('aria-disabled') === 'true') return
    reportPress({ control, label: element.getAttribute('aria-label') ?? element.innerText, trusted: event.isTrusted })
    press()
  })
  return element
}

/** A button with text in a span beside a ripple, as in Google's buttons. */
export function textButton(control: string, text: string, press: () => void, attributes: Attributes = {}): HTMLElement {
  return pressable({ control, attributes: { class: 'button', ...attributes }, press }, ...labelled(text))
}

export function labelled(text: string): HTMLElement[] {
  return [make('span', { class: 'ripple', 'aria-hidden': 'true' }), make('span', { jsname: 'V67aGc', class: 'button-label' }, text)]
}

export function wait(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forMs))
}
