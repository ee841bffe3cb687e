/// <reference lib="dom" />
// What the server sent with the document. It is taken out of it, so that no text is in the document that nobody sees.
import type { Boot } from '../wire.ts'

const element = document.getElementById('boot')
export const boot = JSON.parse(element?.textContent ?? '') as Boot
element?.remove()

export const { words, scenario } = boot

/** Puts values into a text: `fill('People - {count}', { count: '3' })`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}
