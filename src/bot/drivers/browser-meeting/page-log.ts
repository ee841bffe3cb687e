// Uncaught errors and console lines of the page in the last minute.
import type { ConsoleMessage, Page } from 'playwright-core'

const KEPT_MS = 60_000
const MOST_LINES = 100
const LONGEST_LINE = 300

type Line = { readonly at: number; readonly text: string }

export class PageLog {
  readonly #now: () => number
  #lines: Line[] = []

  constructor(page: Page, now: () => number = Date.now) {
    this.#now = now
    this.follow(page)
  }

  follow(page: Page): void {
    page.on('pageerror', (error) => this.add(`page error: ${error.name}: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.add(`console ${message.type()}: ${message.text()}`)
      release(message)
    })
  }

  add(text: string): void {
    const at = this.#now()
    const fresh = this.#lines.filter((it) => at - it.at < KEPT_MS)
    this.#lines = [...fresh, { at, text: text.replaceAll(/\s+/g, ' ').slice(0, LONGEST_LINE) }].slice(-MOST_LINES)
  }

  /** Each with its time of day. */
  lines(): readonly string[] {
    const now = this.#now()
    return this.#lines.filter(({ at }) => now - at < KEPT_MS).map(({ at, text }) => `${new Date(at).toISOString().slice(11, 23)} ${text}`)
  }

  /** The first line since then that contains one of these. */
  find(texts: readonly string[], since: number): string | null {
    return this.#lines.find(({ at, text }) => at >= since && texts.some((it) => text.includes(it)))?.text ?? null
  }
}

/** Logged objects would otherwise stay in the page's memory. */
function release(message: ConsoleMessage): void {
  for (const handle of message.args()) handle.dispose().catch(() => undefined) // The page is gone.
}
