// Errors of the operating system that are expected.

/** Swallows system errors with one of these codes, and rethrows all others. */
export function unless(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error
    return undefined
  }
}

/** EPERM: the process exists, and belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
