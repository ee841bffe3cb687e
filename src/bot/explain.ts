// Turns an error into a message and a code for callers. The text of a library's error goes to the log.
import { Failure, firstLine, type PublicError, publicErrorOf } from '../kit/failure.ts'

export type Explain = (error: unknown, otherwise: PublicError) => PublicError

export function createExplain(log: (message: string, detail: string) => void): Explain {
  return (error, otherwise) => {
    if (!(error instanceof Failure)) log('a step of a bot failed', `${otherwise.code}: ${firstLine(error)}`)
    return publicErrorOf(error, otherwise)
  }
}
