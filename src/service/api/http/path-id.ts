// Checks ids in paths.
import { type ErrorCode, ServiceError } from '../../../domain/errors.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** Returns the id, or throws the 404 of an unknown one if it is malformed. */
export function idIn(text: string, unknown: Extract<ErrorCode, `${string}_not_found`> = 'bot_not_found'): string {
  if (!ID.test(text)) throw new ServiceError(unknown)
  return text
}
