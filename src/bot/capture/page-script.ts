// The code of page/, made into text that can be put into any page: types are stripped, files are joined, nothing is bundled.
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

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

const WORKER_FILES = ['wire.ts', 'page/tiny-frames.ts', 'page/shipper.ts', 'page/pipe.ts', 'page/worker.ts']
const PAGE_FILES = ['page/tiny-frames.ts', 'page/recorder.ts', 'page/compat.ts', 'page/tap.ts']

/** One classic script, all of it inside a function, for `context.addInitScript({ content })`. */
export function pageScript(config: PageConfig): string {
  const settings = JSON.stringify(config)
  const workerCode = join(WORKER_FILES)
  const worker = `(() => {${workerCode}\nstartWorker(${settings})\n})()`
  // Left uncalled: the page calls it with the name of the channel on which it listens.
  const prelude = `((channelName) => {${workerCode}\nstartPrelude(${settings}, channelName)\n})`
  return `(() => {${join(PAGE_FILES)}\nstartTap(${settings}, ${JSON.stringify(worker)}, ${JSON.stringify(prelude)})\n})()`
}

/**
 * Each file's imports and the word `export` go, the rest stands as it is, one file behind the other in one scope. So the files must come
 * in an order in which nothing at top level is used before it is made, and no two may share a top-level name; a name that is taken twice
 * is a syntax error, which the tests would meet.
 */
function join(files: readonly string[]): string {
  return files
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
    .map((source) => stripTypeScriptTypes(source))
    .map((code) => code.replaceAll(/^import\s[^;'"]*\sfrom\s+'[^']+'$/gm, '').replaceAll(/^export /gm, ''))
    .join('\n')
}
