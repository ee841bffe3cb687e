// How a host is started: a process of its own, by path, that knows its orders and nothing else.
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../../kit/compiled.ts'
import type { Quarter } from './host-quarters.ts'

const PROGRAMS = {
  host: fileURLToPath(new URL('../../bot/main.ts', import.meta.url)),
  doctor: fileURLToPath(new URL('../../bot/doctor.ts', import.meta.url)),
}

/**
 * It strips types, which Node still calls experimental. Most of its code runs once: what the compiler would spend on that is memory that a
 * bot could have.
 */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--optimize-for-size']

const OPTIONS = {
  cwd: '/',
  // Ctrl-C in a terminal reaches every process of its session, and bots leave when the service says so.
  detached: true,
  stdio: ['ignore', 'ignore', 'pipe', 'ipc'] as StdioOptions,
}

export type HostProcessOptions = {
  readonly browserMode: 'auto' | 'headed' | 'headless'
  readonly chromium: string | undefined
  readonly chromiumFlags: readonly string[]
  /** Its home and its user. Without it the host runs as this process does. */
  readonly quarter?: Quarter | undefined
}

export function startHostProcess(options: HostProcessOptions): ChildProcess {
  return startBotProgram('host', options)
}

/** A program of the bots, in the place of a host. */
export function startBotProgram(
  program: keyof typeof PROGRAMS,
  { browserMode, chromium, chromiumFlags, quarter }: HostProcessOptions,
): ChildProcess {
  const path = PROGRAMS[program]
  const args = [browserMode, chromium ?? '', ...chromiumFlags]
  if (!quarter) return fork(path, args, { ...OPTIONS, env: BARE_ENVIRONMENT, execArgv: NODE_OPTIONS })
  const { command, args: execArgv, identity } = quarter.launcher(process.execPath, NODE_OPTIONS)
  return fork(path, args, { ...OPTIONS, ...identity, env: quarter.environment, execPath: command, execArgv })
}
