/// <reference lib="dom" />
// The data that the server sent with the document. It is removed, so that the document holds no invisible text.
import type { Boot } from '../wire.ts'

const element = document.getElementById('boot')
export const boot = JSON.parse(element?.textContent ?? '') as Boot
element?.remove()

export const { texts, scenario } = boot

/** Fills values into a text: `fill('People - {count}', { count: '3' })`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}
