// The checks of `join` arguments before the first request.
import type { JoinArgs } from './info-fields.ts'

type Check = readonly [fault: string, isWrong: (args: JoinArgs) => boolean]

/** A character outside ASCII counts twice. */
const lengthOf = (text: string): number => text.length + text.replaceAll(/[\0-\x80]/g, '').length

const CHECKS: readonly Check[] = [
  ['meetingNumber length > 12', ({ meetingNumber }) => String(meetingNumber).length > 12],
  ['userName length > 128 or userName is empty', ({ userName }) => lengthOf(userName) > 128 || userName === ''],
  ['password length > 32', ({ passWord = '' }) => lengthOf(passWord) > 32],
  ['userEmail length > 100 ', ({ userEmail = '' }) => lengthOf(userEmail) > 100],
  [' signature length error, 0 < length < 150', ({ signature }) => signature === ''],
]

/** The sentence of the fault, or null. */
export function parameterFault(args: JoinArgs): string | null {
  return CHECKS.find(([, isWrong]) => isWrong(args))?.[0] ?? null
}
