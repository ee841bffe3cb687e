// Which paths are closed to another user. The kernel is asked as that user: access lists and security modules count beside mode bits.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SCRIPT = 'right=$1; shift; for path do test "-$right" "$path" || printf "%s\\0" "$path"; done'

/** What to give to `spawn`: a program, its arguments, and the user to become when the program does not change users itself. */
type Launch = {
  readonly command: string
  readonly args: string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

export type Launcher = (program: string, args: readonly string[]) => Launch

/** The paths that a program started by this launcher can neither enter nor execute, or for `r` cannot read. */
export async function closedPaths(launcher: Launcher, paths: readonly string[], right: 'x' | 'r' = 'x'): Promise<readonly string[]> {
  const { command, args, identity } = launcher('/bin/sh', ['-c', SCRIPT, 'sh', right, ...paths])
  const { stdout } = await run(command, args, { ...identity, cwd: '/' })
  return stdout.split('\0').filter((path) => path !== '')
}
