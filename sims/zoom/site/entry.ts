// The checks of a join: signature and passcode in `wc/info`, tokens when the socket joins.
import type { Knock, Scenario } from './scenario.ts'
import { type App, signatureFault } from './signature.ts'
import type { Tokens } from './tokens.ts'

/** The part of a meeting that the checks read. */
type Entrance = {
  readonly number: string
  readonly passcodeToken: string
  readonly scenario: Scenario
  readonly knock: Knock
  readonly call: { people(): readonly { readonly name: string }[] }
}

/** The form fields of `wc/info`. */
export type Fields = Readonly<Record<string, string>>

export type Door = { readonly apps: readonly App[]; readonly tokens: Tokens }

export const CODES = {
  notFound: 3610,
  wrongPasscode: 3004,
  needsEmail: 3005,
  removedBefore: 3009,
  wrongZak: 3623,
  anonymous: 4012,
  wrongObf: 4014,
  obfOfOtherMeeting: 4015,
  wrongRecordingToken: 4016,
  authorizedUserAbsent: 4017,
  authorizedUserLeft: 4019,
} as const

/** Codes that `wc/info` returns. The others are sent when the socket joins. */
const INFO_CODES: ReadonlySet<number> = new Set([
  ...[1, 3000, 3003, 3004, 3005, 3008, 3082, 3099, 3100, 3135, 3610, 3620, 3623, 3633, 3634, 4003, 10_000],
  ...Array.from({ length: 12 }, (_, at) => 3704 + at),
])

const isInfoCode = (code: number): boolean => INFO_CODES.has(code)

/** 0 if the page may open its socket. */
export function infoFault(meeting: Entrance | undefined, fields: Fields, { apps, tokens }: Door): number {
  if (!meeting) return CODES.notFound
  const { signature, meetingNumber = '', passWord = '', signatureType, zsk = '' } = fields
  if (signatureType === 'sdk') {
    const fault = signatureFault(signature ?? '', meetingNumber, apps, Date.now())
    if (fault) return fault
  }
  const { knock, scenario } = meeting
  const { passcode } = scenario
  if (typeof knock === 'number' && isInfoCode(knock)) return knock
  if (zsk && !tokens.find('zak', zsk)) return CODES.wrongZak
  if (needsEmail(scenario, fields)) return CODES.needsEmail
  return passcode && passWord !== passcode && passWord !== meeting.passcodeToken ? CODES.wrongPasscode : 0
}

/** An app names its user of a webinar by an address or a registration. */
function needsEmail({ kind }: Scenario, { signatureType, userEmail, tk }: Fields): boolean {
  return signatureType === 'sdk' && kind === 'webinar' && !userEmail && !tk
}

/** 0 if the attendee may enter or wait. */
export function joinFault(meeting: Entrance, fields: Fields, { tokens }: Door): number {
  const { obfToken = '', zsk = '', recordingToken = '' } = fields
  if (fields.signatureType === 'sdk') {
    if (obfToken) return obfFault(meeting, obfToken, tokens)
    if (meeting.scenario.account === 'external' && !zsk) return CODES.anonymous
  }
  if (recordingToken && tokens.find('recording', recordingToken)?.meetingNumber !== meeting.number) return CODES.wrongRecordingToken
  return 0
}

function obfFault(meeting: Entrance, text: string, tokens: Tokens): number {
  const token = tokens.find('obf', text)
  if (!token) return CODES.wrongObf
  if (token.meetingNumber !== null && token.meetingNumber !== meeting.number) return CODES.obfOfOtherMeeting
  return meeting.call.people().some(({ name }) => name === token.userName) ? 0 : CODES.authorizedUserAbsent
}
