// What the SDK itself checks of the arguments of `join`, before it asks any server.
import type { JoinArgs } from './info-fields.ts'

type Check = readonly [fault: string, isWrong: (args: JoinArgs) => boolean]

const bytes = (text: string): number => new TextEncoder().encode(text).length

const CHECKS: readonly Check[] = [
  ['meetingNumber length > 12', ({ meetingNumber }) => String(meetingNumber).length > 12],
  ['userName length > 128 or userName is empty', ({ userName }) => bytes(userName) > 128 || userName === ''],
  ['password length > 32', ({ passWord = '' }) => bytes(passWord) > 32],
  ['userEmail length > 100 ', ({ userEmail = '' }) => bytes(userEmail) > 100],
  [' signature length error, 0 < length < 150', ({ signature }) => signature === ''],
]

/** The sentence of the fault; null, if there is none. */
export function parameterFault(args: JoinArgs): string | null {
  return CHECKS.find(([, isWrong]) => isWrong(args))?.[0] ?? null
}
