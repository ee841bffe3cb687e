// Errors with a sentence and a stable code of ours, for callers. Whatever else is thrown comes from a library: its text is for the log.

export class Failure extends Error {
  override readonly name: string = 'Failure'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** What a caller may read of an error. */
export type Told = { readonly code: string; readonly message: string }

/** Its own words where they are ours, and otherwise those of the step that failed. */
export function toldOf(error: unknown, otherwise: Told): Told {
  return error instanceof Failure ? { code: error.code, message: error.message } : otherwise
}

/** The first line of any error, for the log: what follows it may hold what a page says. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

/** ` (ECONNREFUSED)` of an error of the system, to be put behind a sentence; nothing of any other. */
export function codeIn(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}
