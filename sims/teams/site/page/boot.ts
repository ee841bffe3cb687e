/// <reference lib="dom" />
// The meeting of this page's address, from the server. A signed-in tab keeps its secret in memory.
import { type Boot, PATHS, TAB_HEADER } from '../wire.ts'

const TAB = 'tab'

function takeTab(): string {
  const address = new URL(location.href)
  const secret = address.searchParams.get('auth')
  if (secret !== null) {
    sessionStorage.setItem(TAB, secret)
    address.searchParams.delete('auth')
    history.replaceState(null, '', address)
  }
  return sessionStorage.getItem(TAB) ?? ''
}

export const tab = takeTab()

export async function load(href: string): Promise<Boot> {
  const response = await fetch(PATHS.boot, { method: 'POST', headers: { [TAB_HEADER]: tab }, body: JSON.stringify({ href }) })
  if (!response.ok) throw new Error(`The server answered ${response.status}`)
  return (await response.json()) as Boot
}

export const boot = await load(location.href)
export const { texts, scenario } = boot

/** Fills values into a text: `fill('Hi {name}', { name: 'Ann' })`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
}
