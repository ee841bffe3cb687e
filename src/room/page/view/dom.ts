/// <reference lib="dom" />
// Functions that build DOM elements.

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

/** Keeps one element per item, in order. Elements that stay are not touched, so that focus and playing video survive. */
export class KeyedList<Item> {
  readonly #parent: HTMLElement
  readonly #keyOf: (item: Item) => string
  readonly #create: (item: Item) => { readonly element: HTMLElement; update(item: Item): void }
  readonly #rows = new Map<string, { readonly element: HTMLElement; update(item: Item): void }>()

  constructor(
    parent: HTMLElement,
    keyOf: (item: Item) => string,
    create: (item: Item) => { readonly element: HTMLElement; update(item: Item): void },
  ) {
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

/** One of the style sheet's eight colours, chosen by a hash of the name. */
export function hueOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 131 + (letter.codePointAt(0) ?? 0)) % 65_521
  return String(sum % 8)
}

export function avatar(name: string): HTMLElement {
  return make('span', { class: 'avatar', 'data-hue': hueOf(name), 'aria-hidden': 'true' }, initialsOf(name))
}
