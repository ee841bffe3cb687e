// Every error of the API: its HTTP status and its message.

type ErrorRow =
  | { readonly http: 202 | 400 | 401 | 403 | 404 | 409 | 410 | 422 | 499 | 500; readonly message: string }
  /** The default of `Retry-After`. */
  | { readonly http: 429 | 503; readonly message: string; readonly retryAfterSeconds: number }

export const ERRORS = {
  unauthorized: { http: 401, message: 'Unauthorized' },
  no_user: { http: 401, message: 'This API key belongs to no user. Use the key of a user for calendar endpoints.' },
  forbidden: { http: 403, message: 'Forbidden' },
  not_found: { http: 404, message: 'Not Found' },
  bot_not_found: { http: 404, message: 'Bot not found' },
  transcript_not_found: { http: 404, message: 'Transcript not found' },
  transcript_failed: { http: 422, message: 'The recording could not be transcribed.' },
  endpoint_not_found: { http: 404, message: 'Webhook endpoint not found' },
  vendor_not_found: { http: 404, message: 'Speech vendor not found' },
  delivery_not_found: { http: 404, message: 'Delivery not found' },
  event_not_found: { http: 404, message: 'Event not found' },
  nothing_made: { http: 404, message: 'The bot has no such data.' },
  not_ready: { http: 202, message: 'Not ready yet. Poll again.' },
  invalid: { http: 400, message: 'The request is not valid.' },
  unsupported_command: { http: 400, message: 'The command is not supported on this platform.' },
  wrong_bot_owner: { http: 403, message: 'This bot belongs to another account.' },
  not_in_meeting: { http: 409, message: 'Bot is not currently in a meeting.' },
  conflict: { http: 409, message: 'Conflict' },
  retired: {
    http: 410,
    message: 'This endpoint was retired on 2026-09-15. Pass platforma.zak_url or platforma.obf_url to create_bot instead.',
  },
  too_many_requests: { http: 429, message: 'Too many requests.', retryAfterSeconds: 60 },
  low_credits: { http: 403, message: 'Low credits.' },
  login_domain_taken: { http: 403, message: 'This login domain belongs to another account.' },
  login_not_found: { http: 404, message: 'Login not found' },
  login_domain_not_found: { http: 404, message: 'Login domain not found' },
  login_busy: { http: 409, message: 'This login is busy or not active.' },
  no_free_login: { http: 429, message: 'No login is free.', retryAfterSeconds: 60 },
  /** Only in metrics. */
  client_gone: { http: 499, message: 'The client closed the connection before the answer.' },
  workspace_not_found: { http: 404, message: 'Workspace not found' },
  invitation_not_found: { http: 404, message: 'This link was used, withdrawn or has expired. Ask for a new one.' },
  member_not_found: { http: 404, message: 'Member not found' },
  wrong_password: { http: 403, message: 'The e-mail address or the password is wrong.' },
  not_signed_in: { http: 401, message: 'Sign in first.' },
  key_not_found: { http: 404, message: 'Key not found' },
  calendar_not_connected: { http: 404, message: 'The calendar is not connected. Connect it first.' },
  calendar_failed: { http: 500, message: 'The calendar provider failed. Try again.' },
  database_unreachable: { http: 503, message: 'The database does not answer. Try again in 5 seconds.', retryAfterSeconds: 5 },
  disk_full: {
    http: 503,
    message: 'The disk of this server is full. Its operator must free some space. Try again in 60 seconds.',
    retryAfterSeconds: 60,
  },
  store_unreachable: {
    http: 503,
    message: 'The object store does not answer. The bot’s data can no longer be read, and its objects are deleted once the store answers.',
    retryAfterSeconds: 60,
  },
  bot_unreachable: { http: 503, message: 'The bot did not answer. Try again in 5 seconds.', retryAfterSeconds: 5 },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** An error response for the caller. Any other error is a bug or an outage: 500. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly http: number
  /** Fields beside `message` in the response body, where the specification has some. */
  readonly extra: Readonly<Record<string, unknown>>
  /** For every 429 and every 503. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    extra: Readonly<Record<string, unknown>> = {},
    retryAfterSeconds: number | undefined = usualWait(code),
  ) {
    super(message)
    this.name = 'ServiceError'
    this.code = code
    this.http = ERRORS[code].http
    this.extra = extra
    this.retryAfterSeconds = retryAfterSeconds
  }
}

function usualWait(code: ErrorCode): number | undefined {
  const row: ErrorRow = ERRORS[code]
  return 'retryAfterSeconds' in row ? row.retryAfterSeconds : undefined
}

/** A 400 whose message names the field. */
export function invalid(message: string): ServiceError {
  return new ServiceError('invalid', message)
}

/** A 429 that says when to try again. */
export function tooMany(sentence: string, waitMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new ServiceError('too_many_requests', `${sentence} Try again in ${seconds} s.`, {}, seconds)
}

/** Why a bot failed, stable for clients. `PlatformUnavailable`: this server cannot join meetings of the platform.
 * `ViewOnly`: the bot may only watch, as a viewer whom the meeting does not list. */
export const ERROR_REASONS = [
  'InvalidMeetingLink',
  'MeetingNotFound',
  'MeetingNotStarted',
  'MeetingEnded',
  'MeetingRestricted',
  'MeetingEncrypted',
  'ViewOnly',
  'SignInRequired',
  'RegistrationRequired',
  'JoinRefused',
  'CaptchaRequired',
  'HostDenied',
  'JoinTimeout',
  'RemovedByParticipant',
  'LoginFailed',
  'LoginBusy',
  'BrowserCrashed',
  'WorkerLost',
  'ConnectionLost',
  'MediaLost',
  'TokenFetchFailed',
  'RecordingPermissionDenied',
  'InternalError',
  'NoCapacity',
  'PlatformUnavailable',
  'ScheduledDispatchExhausted',
  'ScheduledDispatchRejected',
  'InsufficientCredits',
] as const
export type ErrorReason = (typeof ERROR_REASONS)[number]
