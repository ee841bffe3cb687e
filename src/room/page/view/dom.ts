/// <reference lib="dom" />
// Functions that build DOM elements.
import type { View } from './view.ts'

type Attributes = Readonly<Record<string, string | boolean | undefined | ((event: Event) => void)>>

/** Example: `make('button', { id: 'leave', onclick: leave }, 'Leave')`. True is an empty attribute; false and undefined are left out. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.replace(/^on/, ''), value)
    else if (value === true) element.setAttribute(key, '')
    else if (typeof value === 'string') element.setAttribute(key, value)
  }
  element.append(...children)
  return element
}

/** `id` is for tests, and `look` are its classes. */
export function button(
  id: string,
  look: string,
  onclick: () => void,
  attributes: Attributes,
  ...children: (Node | string)[]
): HTMLButtonElement {
  return make('button', { class: look, type: 'button', 'data-testid': id, ...attributes, onclick }, ...children)
}

export function form(look: string, onSubmit: () => void, ...children: Node[]): HTMLFormElement {
  const onsubmit = (event: Event): void => {
    event.preventDefault()
    onSubmit()
  }
  return make('form', { class: look, onsubmit }, ...children)
}

/** Audio has separate elements. */
export function silentVideo(id: string, attributes: Attributes = {}): HTMLVideoElement {
  const element = make('video', { autoplay: true, playsinline: true, 'data-testid': id, ...attributes })
  element.muted = true
  return element
}

export function showTrack(element: HTMLVideoElement, track: MediaStreamTrack | null): void {
  const current = element.srcObject instanceof MediaStream ? (element.srcObject.getVideoTracks()[0] ?? null) : null
  if (current !== track) element.srcObject = track ? new MediaStream([track]) : null
}

/** Keeps one element per item, in order. Elements that stay are not touched, so that focus and playing video survive. */
export class KeyedList<Item> {
  readonly #parent: HTMLElement
  readonly #keyOf: (item: Item) => string
  readonly #create: (item: Item) => View<Item>
  readonly #rows = new Map<string, View<Item>>()

  constructor(parent: HTMLElement, keyOf: (item: Item) => string, create: (item: Item) => View<Item>) {
    this.#parent = parent
    this.#keyOf = keyOf
    this.#create = create
  }

  update(items: readonly Item[]): void {
    const keys = items.map(this.#keyOf)
    for (const [key, { element }] of this.#rows) {
      if (keys.includes(key)) continue
      element.remove()
      this.#rows.delete(key)
    }
    for (const [index, item] of items.entries()) {
      const key = keys[index] ?? ''
      const row = this.#rows.get(key) ?? this.#create(item)
      this.#rows.set(key, row)
      row.update(item)
      if (this.#parent.children[index] !== row.element) this.#parent.insertBefore(row.element, this.#parent.children[index] ?? null)
    }
  }
}

function initialsOf(name: string): string {
  const words = name.split(' ').filter((it) => /[\p{L}\p{N}]/u.test(it))
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]]
  return letters.map((it) => [...(it ?? '?')][0]?.toUpperCase()).join('')
}

const HUES = [210, 275, 325, 2, 34, 148, 182, 240]

/** Gives the element the colour of a name, which a hash of the name chooses. */
export function tinted(element: HTMLElement, name: string): HTMLElement {
  let sum = 0
  for (const letter of name) sum = (sum * 131 + (letter.codePointAt(0) ?? 0)) % 65_521
  element.style.setProperty('--hue', String(HUES[sum % HUES.length]))
  return element
}

export function avatar(name: string): HTMLElement {
  return tinted(make('span', { class: 'avatar', 'aria-hidden': 'true' }, initialsOf(name)), name)
}
