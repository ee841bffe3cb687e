// Checks ids in paths.
import { ServiceError } from '../../domain/errors.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

type UnknownId =
  | 'bot_not_found'
  | 'transcript_not_found'
  | 'login_not_found'
  | 'endpoint_not_found'
  | 'delivery_not_found'
  | 'event_not_found'

/** Returns the id, or throws the 404 of an unknown one if it is malformed. */
export function idIn(text: string, unknown: UnknownId = 'bot_not_found'): string {
  if (!ID.test(text)) throw new ServiceError(unknown)
  return text
}
