// Receives reports from the pages of a context.
import { randomUUID } from 'node:crypto'
import type { BrowserContext, Frame } from 'playwright-core'
import { pageCall } from '../../worker/page-bundle.ts'

/** A name that a page cannot guess. */
export function secretName(): string {
  return `_${randomUUID().replaceAll('-', '')}`
}

/** Receives each report, and the frame from which it came. */
export type Receive = (report: unknown, frame: Frame) => void

/** Lets code in the context's pages report by hidden functions, each with its receiver. Call it once, before a page is opened. */
export async function receiveReports(context: BrowserContext, receivers: Readonly<Record<string, Receive>>): Promise<void> {
  const binding = secretName()
  await context.exposeBinding(binding, ({ frame }, text: string) => {
    const [name, report] = JSON.parse(text) as [string, unknown]
    receivers[name]?.(report, frame)
  })
  await context.addInitScript({
    content: pageCall(import.meta.url, 'page/hidden-binding.ts', 'startReports', binding, Object.keys(receivers)),
  })
}
