// Bundles the code of every page ahead of the first host.
import { prepare } from './page-bundle.ts'

const ENTRIES = [
  'capture/page/tap.ts',
  'capture/page/worker.ts',
  'capture/page/prelude.ts',
  'capture/page/relay.ts',
  'outgoing/page/start.ts',
  'drivers/web-client/page/start.ts',
  'drivers/zoom/page/start.ts',
]

export function writePageBundles(): void {
  for (const entry of ENTRIES) prepare(import.meta.url, entry)
}
