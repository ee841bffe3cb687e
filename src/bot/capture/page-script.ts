// Bundles page/ into one script for the meeting's page, which contains the scripts of its workers.
import { pageCall, pageFunction } from '../worker/page-bundle.ts'
import type { TapConfig } from './page/config.ts'

/** A classic script for `context.addInitScript({ content })`. */
export function pageScript(config: TapConfig): string {
  const worker = pageCall(import.meta.url, 'page/worker.ts', 'startWorker', config)
  // A function that the page calls with the name of its channel.
  const prelude = `((channelName) => ${pageFunction(import.meta.url, 'page/prelude.ts', 'startPrelude')}(${JSON.stringify(config)}, channelName))`
  const relay = pageCall(import.meta.url, 'page/relay.ts', 'startRelay')
  return pageCall(import.meta.url, 'page/tap.ts', 'startTap', config, { worker, relay, prelude })
}
