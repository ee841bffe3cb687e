// Errors with a sentence and a stable code for callers. The text of any other error comes from a library and is for the log.

export class Failure extends Error {
  override readonly name: string = 'Failure'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The part of an error that a caller may read. */
export type PublicError = { readonly code: string; readonly message: string }

/** The error's own text for a `Failure`, otherwise that of the step that failed. */
export function publicErrorOf(error: unknown, otherwise: PublicError): PublicError {
  return error instanceof Failure ? { code: error.code, message: error.message } : otherwise
}

/** The first line of any error, for the log. Later lines may quote a page. */
export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

/** ` (ECONNREFUSED)` for a system error, to append to a sentence; otherwise empty. */
export function codeIn(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''
}
