/// <reference lib="dom" />
// Reports of the page's observers to the driver. Playwright's way to it leaves three names in `window`, which are removed here.
import { hidden, hide } from '../../../worker/page/hidden.ts'

export type Report = (message: object) => void

/** Names of Playwright in a page with a binding. They are private to Playwright, so a new version may have others. */
export const PLAYWRIGHT_NAMES = ['__playwright__binding__', '__playwright__binding__controller__'] as const

/** Removes the binding from the page's globals and hides functions that report through it, each under its own name. */
export function startReports(binding: string, names: readonly string[]): void {
  const send: unknown = Reflect.get(window, PLAYWRIGHT_NAMES[0])
  for (const each of [binding, ...PLAYWRIGHT_NAMES]) Reflect.deleteProperty(window, each)
  if (typeof send !== 'function') throw new Error('Playwright gave the page no binding')
  for (const name of names) {
    // Without the controller no answer comes back, and no promise waits for one.
    const report: Report = (message) => send(JSON.stringify({ name: binding, seq: 0, serializedArgs: [JSON.stringify([name, message])] }))
    hide(name, report)
  }
}

export function reporter(name: string): Report {
  return (message) => {
    const report = hidden(name)
    if (typeof report === 'function') report(message)
  }
}
