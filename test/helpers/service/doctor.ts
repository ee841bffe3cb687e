// `emissary doctor`, run as a command.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'

// biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests.
export type Diagnosis = { readonly status: number | null; readonly said: string; readonly json: any }

export function runDoctor(settings: Record<string, string>, ...args: readonly string[]): Promise<Diagnosis> {
  return startDoctor(settings, ...args).ended
}

type Running = { readonly ended: Promise<Diagnosis> /** As Ctrl-C does. */; readonly interrupt: () => void }

export function startDoctor(settings: Record<string, string>, ...args: readonly string[]): Running {
  const { PATH, MODELS_DIR } = process.env
  const env = { PATH, ...(MODELS_DIR && { MODELS_DIR }), HOME: homedir(), MIN_FREE_DISK_MB: '0', BROWSER_MODE: 'headless', ...settings }
  const child = spawn('node', ['src/cli.ts', 'doctor', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [printed, said] = ['', '']
  child.stdout.on('data', (chunk) => {
    printed += chunk
  })
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(child, 'close').then(
    ([status]): Diagnosis => ({ status, said: printed + said, json: args.includes('--json') && printed ? JSON.parse(printed) : null }),
  )
  return { ended, interrupt: () => child.kill('SIGINT') }
}

export function stateOf({ json }: Diagnosis, name: string): string | undefined {
  return json.checks.find((check: { name: string }) => check.name === name)?.state
}
