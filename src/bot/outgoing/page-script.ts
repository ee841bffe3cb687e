// The code of page/, as one script for the meeting's page.
import { pageCall } from '../page-bundle.ts'

/** A classic script. `name` is that of the global by which we reach it. */
export function outgoingScript(name: string): string {
  return pageCall(import.meta.url, 'page/start.ts', 'startOutgoing', name)
}
