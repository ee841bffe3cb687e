// Finds paths that another user cannot open. It runs `test` as that user: ACLs and security modules count beside mode bits.
import { type Identity, runProcess } from './process.ts'

const ANSWER_WITHIN_MS = 60_000
const SCRIPT = 'right=$1; shift; for path do test "-$right" "$path" || printf "%s\\0" "$path"; done'

/** Arguments for `spawn`: a program, its arguments, and the user to switch to where the program does not switch itself. */
type Launch = {
  readonly command: string
  readonly args: string[]
  readonly identity: Identity
}

export type Launcher = (program: string, args: readonly string[]) => Launch

/** Starts programs directly, as this user or as the one given. */
export const launcherAs =
  (identity: Identity): Launcher =>
  (command, args) => ({ command, args: [...args], identity })

/** The paths that a program started by this launcher cannot enter or execute; with `r`, cannot read. */
export async function closedPaths(launcher: Launcher, paths: readonly string[], right: 'x' | 'r' = 'x'): Promise<readonly string[]> {
  const { command, args, identity } = launcher('/bin/sh', ['-c', SCRIPT, 'sh', right, ...paths])
  const output = await runProcess({ program: command, args, identity, cwd: '/', limitMs: ANSWER_WITHIN_MS })
  return String(output)
    .split('\0')
    .filter((path) => path !== '')
}
