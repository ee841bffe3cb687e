// The service as a process, as `npm start` runs it, so that it can be killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { SECRET_KEY } from './service.ts'

export type ServiceProcess = {
  readonly url: string
  readonly pid: number
  /** The terminal output so far. */
  said(): string
  /** Closes its terminal. */
  hangUp(): void
  kill(): Promise<void>
  /** Stops it as Ctrl-C does, and returns its exit code. */
  stop(): Promise<number | null>
}

const SERVE = ['node', 'src/cli.ts', 'serve'] as const
/** `npm start` without preparing the machine. */
export const BY_NPM = { command: ['npm', 'start', '--ignore-scripts'] } as const

type Start = {
  readonly command?: readonly [string, ...string[]]
  /** The folder of another release. */
  readonly folder?: string | undefined
}

export async function startServiceProcess(
  settings: Record<string, string>,
  { command: [program, ...args] = SERVE, folder }: Start = {},
): Promise<ServiceProcess> {
  const port = settings.PORT ?? String(await freePort())
  const child = spawn(program, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      WARM_WORKERS: '0',
      BROWSER_MODE: 'headless',
      SECRET_KEY,
      ...settings,
      PORT: port,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithTest(child)
  let said = ''
  const listen = (chunk: Buffer): void => {
    said += chunk
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const url = `http://127.0.0.1:${port}`
  await until('the service answers', () => isReady(child, url, () => said), 60_000).catch((error: unknown) => {
    throw new Error(`The service printed: ${said}`, { cause: error })
  })
  return {
    url,
    pid: child.pid ?? 0,
    said: () => said,
    hangUp() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    kill: () => ended(child, 'SIGKILL').then(() => undefined),
    stop: () => ended(child, 'SIGINT'),
  }
}

/** Stops services that a failed test has left running. */
function endWithTest(child: ChildProcess): void {
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  try {
    onTestFinished(kill)
  } catch {
    // A service started in a hook serves all tests of the file.
  }
}

async function isReady(child: ChildProcess, url: string, said: () => string): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${said()}`)
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
  return child.exitCode
}
