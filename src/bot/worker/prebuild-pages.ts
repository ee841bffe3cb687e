// Bundles the code of every page ahead of the first worker.
import { codeOf } from './page-bundle.ts'

const ENTRIES = [
  '../capture/page/tap.ts',
  '../capture/page/worker.ts',
  '../capture/page/prelude.ts',
  '../capture/page/relay.ts',
  '../outgoing/page/start.ts',
  '../drivers/browser-meeting/page/start.ts',
  '../drivers/browser-meeting/page/hidden-binding.ts',
  '../drivers/built-in-room/page/start.ts',
  '../drivers/browser-meeting/page/sent.ts',
  '../drivers/browser-meeting/page/snapshot.ts',
  '../drivers/zoom-sdk/page/start.ts',
]

export function writePageBundles(): void {
  for (const entry of ENTRIES) codeOf(import.meta.url, entry)
}
