// Why a request to somebody else's server brought no answer, in words that a caller can act on.

import { Failure } from './failure.ts'

type OutgoingReason = 'blocked_address' | 'refused' | 'timeout' | 'reset' | 'tls' | 'dns' | 'bad_url'

export class OutgoingError extends Failure {
  override readonly name = 'OutgoingError'
  readonly reason: OutgoingReason
  /** The status of an answer whose headers came before it was cut; null where nothing came. */
  readonly status: number | null

  constructor(reason: OutgoingReason, message: string, { cause, status = null }: { cause?: unknown; status?: number | null } = {}) {
    super(reason, message, { cause })
    this.reason = reason
    this.status = status
  }
}

const FAULTS: readonly { readonly codes: RegExp; readonly reason: OutgoingReason; readonly says: string }[] = [
  {
    codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/,
    reason: 'refused',
    says: 'refused the connection',
  },
  { codes: /^(ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, reason: 'timeout', says: 'could not be reached in time' },
  {
    codes: /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO)/,
    reason: 'tls',
    says: 'could not be trusted',
  },
]
/** Ours, not the receiver's: a bug, a closed agent, or no file descriptors left. */
const OUR_FAULTS = /^(UND_ERR_INVALID_|UND_ERR_CLOSED$|UND_ERR_DESTROYED$|UND_ERR_NOT_SUPPORTED$|EMFILE$|ENFILE$|ENOBUFS$|ENOMEM$)/

/** The error of a failed exchange with `host`; one that is our own fault comes back as it is. */
export function namedError(error: unknown, host: string, status: number | null): unknown {
  if (error instanceof OutgoingError || !(error instanceof Error)) return error
  const code = codeOf(error)
  if (code === '' || OUR_FAULTS.test(code)) return error
  const { reason, says } = FAULTS.find(({ codes }) => codes.test(code)) ?? { reason: 'reset' as const, says: 'broke off the exchange' }
  return new OutgoingError(reason, `${host} ${says} (${code}).`, { cause: error, status })
}

/** Undici gives the error of its HTTP parser no code when it met the end of the connection where an answer should be. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name === 'HTTPParserError' ? 'HPE_INVALID_ANSWER' : ''
}
