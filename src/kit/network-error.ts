// The reason why an exchange with a caller's server failed, with a sentence for the caller.
import { Failure } from './failure.ts'

type NetworkErrorReason = 'blocked_address' | 'refused' | 'timeout' | 'reset' | 'tls' | 'dns' | 'bad_url'

export class NetworkError extends Failure {
  override readonly name = 'NetworkError'
  readonly reason: NetworkErrorReason
  /** The status of a response that ended after its headers; null where no header arrived. */
  readonly status: number | null

  constructor(reason: NetworkErrorReason, message: string, { cause, status = null }: { cause?: unknown; status?: number | null } = {}) {
    super(reason, message, { cause })
    this.reason = reason
    this.status = status
  }

  /** The time for the whole exchange was over. Any other error has a part of the exchange that failed as its cause. */
  get isDeadline(): boolean {
    return this.reason === 'timeout' && this.cause === undefined
  }
}

const FAULTS: readonly { readonly codes: RegExp; readonly reason: NetworkErrorReason; readonly says: string }[] = [
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
/** Our own faults: a bug, a closed agent, or no file descriptors left. */
const OUR_FAULTS = /^(UND_ERR_INVALID_|UND_ERR_CLOSED$|UND_ERR_DESTROYED$|UND_ERR_NOT_SUPPORTED$|EMFILE$|ENFILE$|ENOBUFS$|ENOMEM$)/

/** The `NetworkError` of a failed exchange with `host`. Our own faults are returned unchanged. */
export function toNetworkError(error: unknown, host: string, status: number | null): unknown {
  if (error instanceof NetworkError || !(error instanceof Error)) return error
  const code = codeOf(error)
  if (code === '' || OUR_FAULTS.test(code)) return error
  const { reason, says } = FAULTS.find(({ codes }) => codes.test(code)) ?? { reason: 'reset' as const, says: 'broke off the exchange' }
  return new NetworkError(reason, `${host} ${says} (${code}).`, { cause: error, status })
}

/** Undici's HTTP parser error has no code when the connection ends before a response. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code
  return error.name === 'HTTPParserError' ? 'HPE_INVALID_ANSWER' : ''
}
