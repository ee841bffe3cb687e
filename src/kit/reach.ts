// Finds paths that another user cannot open. It runs `test` as that user: ACLs and security modules count beside mode bits.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SCRIPT = 'right=$1; shift; for path do test "-$right" "$path" || printf "%s\\0" "$path"; done'

/** Arguments for `spawn`: a program, its arguments, and the user to switch to where the program does not switch itself. */
type Launch = {
  readonly command: string
  readonly args: string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

export type Launcher = (program: string, args: readonly string[]) => Launch

/** The paths that a program started by this launcher cannot enter or execute; with `r`, cannot read. */
export async function closedPaths(launcher: Launcher, paths: readonly string[], right: 'x' | 'r' = 'x'): Promise<readonly string[]> {
  const { command, args, identity } = launcher('/bin/sh', ['-c', SCRIPT, 'sh', right, ...paths])
  const { stdout } = await run(command, args, { ...identity, cwd: '/' })
  return stdout.split('\0').filter((path) => path !== '')
}
