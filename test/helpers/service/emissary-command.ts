// Runs a command of emissary as an operator does.
import { execFile } from 'node:child_process'

export type Ran = { readonly status: number; readonly out: string; readonly err: string }

export function runEmissary(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH, ...settings }
    const child = execFile('node', ['src/cli.ts', ...args], { env }, (_error, out, err) =>
      resolve({ status: child.exitCode ?? -1, out, err }),
    )
  })
}
