// Bundles page/ into one script for the meeting's page.
import { pageCall } from '../page-bundle.ts'

/** A classic script. `name` is the global through which the bot calls it. */
export function outgoingScript(name: string): string {
  return pageCall(import.meta.url, 'page/start.ts', 'startOutgoing', name)
}
