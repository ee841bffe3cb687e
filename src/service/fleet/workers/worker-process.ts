// Starts a worker as a process of its own, with no environment of the service.
import { type ChildProcess, type ForkOptions, fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../../../kit/compiled.ts'
import type { WorkerSandbox } from './worker-sandbox.ts'

const PROGRAMS = {
  worker: fileURLToPath(new URL('../../../bot/worker/main.ts', import.meta.url)),
  doctor: fileURLToPath(new URL('../../../bot/worker/doctor.ts', import.meta.url)),
}

/**
 * Node still warns that stripping types is experimental. Most code of a worker runs once, so optimising for size saves memory that a bot can
 * use.
 */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--optimize-for-size']

const OPTIONS = {
  cwd: '/',
  // Ctrl-C in a terminal reaches every process of its session, but bots leave when the service says so.
  detached: true,
  stdio: ['ignore', 'ignore', 'pipe', 'ipc'] as StdioOptions,
}

export type WorkerProcessOptions = {
  readonly browserMode: 'auto' | 'headed' | 'headless'
  readonly chromium: string | undefined
  readonly chromiumFlags: readonly string[]
  /** The worker's home and user. Without it the worker runs as this process does. */
  readonly sandbox?: WorkerSandbox | undefined
}

/** Arguments for `fork`. Plain data, because a thread forks the workers. */
export type WorkerLaunch = { readonly path: string; readonly args: readonly string[]; readonly options: ForkOptions }

/** How to start a bot program in the sandbox of a worker. */
export function launchOf(
  program: keyof typeof PROGRAMS,
  { browserMode, chromium, chromiumFlags, sandbox }: WorkerProcessOptions,
): WorkerLaunch {
  const path = PROGRAMS[program]
  const args = [browserMode, chromium ?? '', ...chromiumFlags]
  if (!sandbox) return { path, args, options: { ...OPTIONS, env: BARE_ENVIRONMENT, execArgv: NODE_OPTIONS } }
  const { command, args: execArgv, identity } = sandbox.launcher(process.execPath, NODE_OPTIONS)
  return { path, args, options: { ...OPTIONS, ...identity, env: sandbox.environment, execPath: command, execArgv } }
}

export function forkWorker({ path, args, options }: WorkerLaunch): ChildProcess {
  return fork(path, args, options)
}
