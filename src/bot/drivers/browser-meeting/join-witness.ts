// What a driver shows to the witness of a join.
import type { BrowserContext, Page } from 'playwright-core'
import type { Facts } from './facts.ts'
import type { Screen, Stage } from './page-rules.ts'
import type { Receive } from './reports.ts'

export type SeenScreen = {
  readonly stage: Stage
  readonly facts: Facts
  readonly screen: Screen
  /** Looks again. */
  readonly again: () => Promise<{ readonly facts: Facts; readonly screen: Screen }>
}

export type JoinWitness = {
  /** Injected into the meeting's pages. */
  readonly script: string
  /** Of the script's own reports, by the name of the hidden function. */
  readonly receivers: Readonly<Record<string, Receive>>
  /** Called before the page is opened. */
  furnish(context: BrowserContext): void
  /** A report of the page to the driver. */
  receive(report: unknown): void
  /** A screen before the driver acts on it. */
  see(seen: SeenScreen & { readonly hasAsked: boolean; readonly page: Page }): Promise<void>
}
