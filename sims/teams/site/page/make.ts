/// <reference lib="dom" />
// Builds a page from code.

export type Attributes = Readonly<Record<string, string | boolean | undefined>>

/** True is an empty attribute. False and undefined add none. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value)
  element.append(...children)
  return element
}

const SVG = 'http://www.w3.org/2000/svg'
const MUTED_PATH = 'M12 5v4.879l1 1V5a3 3 0 0 0-5.87-.87l.94.94A2 2 0 0 1 12 5Z'

/** The crossed-out microphone. */
export function mutedIcon(): Element {
  const icon = document.createElementNS(SVG, 'svg')
  const path = document.createElementNS(SVG, 'path')
  icon.setAttribute('viewBox', '0 0 20 20')
  path.setAttribute('d', MUTED_PATH)
  icon.append(path)
  return icon
}

export function wait(forMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forMs))
}
