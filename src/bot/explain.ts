// What of an error is for callers: a sentence and a code of ours. A library's own words go to the log.
import { Failure, firstLine, type Told, toldOf } from '../kit/failure.ts'

export type Explain = (error: unknown, otherwise: Told) => Told

export function createExplain(log: (message: string, detail: string) => void): Explain {
  return (error, otherwise) => {
    if (!(error instanceof Failure)) log('a step of a bot failed', `${otherwise.code}: ${firstLine(error)}`)
    return toldOf(error, otherwise)
  }
}
