// The code of page/, as one script for the meeting's page, with its workers' scripts inside.
import { pageText } from '../page-text.ts'

/** As page/config.ts says it; that file belongs to the page and is never imported from here. */
export type PageConfig = {
  readonly url: string
  readonly token: string
  readonly batchMs: number
  readonly video: boolean
  readonly encoded: boolean
  readonly fallbackAfterMs: number
  readonly wrapWorkers: boolean
}

const WORKER_FILES = ['wire.ts', 'page/tiny-frames.ts', 'page/relay.ts', 'page/shipper.ts', 'page/pipe.ts', 'page/worker.ts']
const PAGE_FILES = ['page/tiny-frames.ts', 'page/recorder.ts', 'page/compat.ts', 'page/tap.ts']

/** One classic script, all of it inside a function, for `context.addInitScript({ content })`. */
export function pageScript(config: PageConfig): string {
  const settings = JSON.stringify(config)
  const workerCode = pageText(import.meta.url, WORKER_FILES)
  const worker = `(() => {${workerCode}\nstartWorker(${settings})\n})()`
  // Left uncalled: the page calls it with the name of the channel on which it listens.
  const prelude = `((channelName) => {${workerCode}\nstartPrelude(${settings}, channelName)\n})`
  const relay = `(() => {${pageText(import.meta.url, ['page/relay.ts'])}\nstartRelay()\n})()`
  const texts = JSON.stringify({ worker, relay, prelude })
  return `(() => {${pageText(import.meta.url, PAGE_FILES)}\nstartTap(${settings}, ${texts})\n})()`
}
