// The raw refusals of `wc/info`. The SDK maps their code and sentence to the code that a page gets.

export type RawFault = { readonly errorCode: number; readonly errorMessage: string }

const SIGNATURE = 200
const TOKEN = 3136
const OF_THE_WEB = 3000

/** By the code that the page gets. */
const RAW: Readonly<Record<number, RawFault>> = {
  3000: { errorCode: OF_THE_WEB, errorMessage: 'Already has other meetings in progress.' },
  3005: { errorCode: OF_THE_WEB, errorMessage: 'User email is required.' },
  3082: { errorCode: 3501, errorMessage: '' },
  3610: { errorCode: 3001, errorMessage: '' },
  3620: { errorCode: 3033, errorMessage: '' },
  3623: { errorCode: TOKEN, errorMessage: 'Token error' },
  3704: { errorCode: SIGNATURE, errorMessage: 'The api key is wrong.' },
  3705: { errorCode: SIGNATURE, errorMessage: 'The signature has expired.' },
  3706: { errorCode: SIGNATURE, errorMessage: 'The meeting number is wrong.' },
  3707: { errorCode: SIGNATURE, errorMessage: 'The meeting number is not found.' },
  3708: { errorCode: SIGNATURE, errorMessage: 'The role is not applicable.' },
  3709: { errorCode: SIGNATURE, errorMessage: 'The meeting host is not found.' },
  3710: { errorCode: SIGNATURE, errorMessage: "The account don't enable API." },
  3711: { errorCode: SIGNATURE, errorMessage: "Can not be host in other account's meeting." },
  3712: { errorCode: SIGNATURE, errorMessage: 'Invalid signature.' },
  3713: { errorCode: SIGNATURE, errorMessage: 'No permission' },
  3715: { errorCode: SIGNATURE, errorMessage: 'Assistant join meeting been disabled' },
  10000: { errorCode: OF_THE_WEB, errorMessage: 'The current sdk version is no longer supported, please upgrade to the latest version.' },
}

export function rawFault(code: number): RawFault {
  return RAW[code] ?? { errorCode: code, errorMessage: '' }
}

/** The code to which the SDK maps it. */
export function codeOf(given: RawFault): number {
  const known = Object.entries(RAW).find(([, raw]) => isSame(raw, given))
  return known ? Number(known[0]) : given.errorCode
}

function isSame(one: RawFault, other: RawFault): boolean {
  return one.errorCode === other.errorCode && one.errorMessage === other.errorMessage
}
