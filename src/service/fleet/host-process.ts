// How a host is started: a process of its own, by path, that knows its orders and nothing else.
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../../kit/compiled.ts'

const PROGRAM = fileURLToPath(new URL('../../bot/main.ts', import.meta.url))

const OPTIONS = {
  env: BARE_ENVIRONMENT,
  // It strips types, which Node still calls experimental. Most of its code runs once: what the compiler would spend on that is memory
  // that a bot could have.
  execArgv: ['--disable-warning=ExperimentalWarning', '--optimize-for-size'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as StdioOptions,
}

export function startHostProcess(chromium: string | undefined, chromiumFlags: readonly string[]): ChildProcess {
  return fork(PROGRAM, [chromium ?? '', ...chromiumFlags], OPTIONS)
}
