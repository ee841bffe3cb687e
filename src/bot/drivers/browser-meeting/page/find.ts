/// <reference lib="dom" />
// Finds a control in the page by its signals, in order of trust: the first visible one, otherwise the first that exists.
// A disabled control ends the search: a weaker signal would find another control instead.

import type { Signal } from '../page-rules.ts'

export type Found = { readonly element: Element; readonly visible: boolean }

const PRESSABLE = 'button, [role="button"], [role="menuitem"], [role="tab"], a[href]'

export class Finder {
  readonly #never: readonly string[]
  readonly #described = new WeakMap<Element, readonly string[]>()

  /** Caches element texts for one snapshot. */
  constructor(never: readonly string[]) {
    this.#never = never.map(plainly)
  }

  find(signals: readonly Signal[]): Found | null {
    let present: Element | null = null
    for (const signal of signals) {
      const fitting = this.#fitting(signal)
      // A card around a button has the same text as the button.
      const innermost = fitting.filter((it) => !fitting.some((other) => other !== it && it.contains(other)))
      const shown = innermost.filter(isVisible)
      const usable = shown.filter(isEnabled)
      // Of two overlapping elements, the upper one.
      const element = usable.find(isOnTop) ?? usable[0]
      if (element) return { element, visible: true }
      present ??= innermost[0] ?? null
      if (shown[0]) return { element: shown[0], visible: false }
    }
    return present && { element: present, visible: false }
  }

  #fitting({ css, says, icon, about }: Signal): readonly Element[] {
    return [...document.querySelectorAll(css ?? PRESSABLE)].filter(
      (it) => (!says || this.#says(it, says)) && (!icon || shows(it, icon)) && (!about || isAbout(it, about)) && !this.#isForbidden(it),
    )
  }

  #says(element: Element, words: readonly string[]): boolean {
    const [label = '', ...texts] = this.#describe(element)
    return words.map(plainly).some((word) => label.startsWith(word) || texts.includes(word))
  }

  #isForbidden(element: Element): boolean {
    const [label = '', ...texts] = this.#describe(element)
    return this.#never.some((word) => label.startsWith(word) || texts.some((text) => text.startsWith(word)))
  }

  /** Its label first, then each piece of text, alone and joined. */
  #describe(element: Element): readonly string[] {
    const known = this.#described.get(element)
    if (known) return known
    const pieces = [element, ...element.querySelectorAll('*')].slice(0, 50)
    const words = [element.getAttribute('aria-label') ?? '', ...pieces.map((it) => it.textContent ?? '')].map(plainly)
    this.#described.set(element, words)
    return words
  }
}

export function plainly(text: string): string {
  return text.toLowerCase().replaceAll(/[’‘ʼ]/g, "'").replaceAll(/\s+/g, ' ').trim()
}

export function isVisible(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect()
  return (
    width > 0 && height > 0 && !element.closest('[inert]') && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  )
}

function isOnTop(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  const hit = document.elementFromPoint(left + width / 2, top + height / 2)
  return hit !== null && element.contains(hit)
}

function isEnabled(element: Element): boolean {
  return !element.matches(':disabled') && element.getAttribute('aria-disabled') !== 'true'
}

function shows(element: Element, icon: string): boolean {
  return [element, ...element.querySelectorAll('*')].some((it) => it.childElementCount === 0 && it.textContent?.trim() === icon)
}

function isAbout(element: Element, subjects: readonly string[]): boolean {
  const dialog = element.closest('[role="dialog"], [role="alertdialog"], dialog')
  const words = plainly(dialog?.textContent ?? '')
  return subjects.some((it) => words.includes(plainly(it)))
}
