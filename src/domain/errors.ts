// Every error said out loud, one row each: its HTTP status and its sentence.

type ErrorRow =
  | { readonly http: 202 | 400 | 401 | 403 | 404 | 409 | 410 | 422 | 499 | 500; readonly message: string }
  /** What `Retry-After` says where nothing better is known. */
  | { readonly http: 429 | 503; readonly message: string; readonly retryAfterSeconds: number }

export const ERRORS = {
  unauthorized: { http: 401, message: 'Unauthorized' },
  no_user: { http: 401, message: 'This API key belongs to no user; calendar endpoints need a user key.' },
  forbidden: { http: 403, message: 'Forbidden' },
  not_found: { http: 404, message: 'Not Found' },
  bot_not_found: { http: 404, message: 'Bot not found' },
  transcript_not_found: { http: 404, message: 'Transcript not found' },
  transcript_failed: { http: 422, message: 'The recording could not be transcribed.' },
  endpoint_not_found: { http: 404, message: 'Webhook endpoint not found' },
  vendor_not_found: { http: 404, message: 'Speech vendor not found' },
  delivery_not_found: { http: 404, message: 'Delivery not found' },
  event_not_found: { http: 404, message: 'Event not found' },
  nothing_made: { http: 404, message: 'The bot made none.' },
  not_ready: { http: 202, message: 'Not ready yet. Poll again.' },
  invalid: { http: 400, message: 'The request is not valid.' },
  unsupported_command: { http: 400, message: 'This platform has no such command.' },
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
  /** Seen in our metrics only. */
  client_gone: { http: 499, message: 'The client closed the connection before the answer.' },
  workspace_not_found: { http: 404, message: 'Workspace not found' },
  invitation_not_found: { http: 404, message: 'This link was used, withdrawn or has expired. Ask for a new one.' },
  member_not_found: { http: 404, message: 'Member not found' },
  wrong_password: { http: 403, message: 'The e-mail address or the password is wrong.' },
  not_signed_in: { http: 401, message: 'Sign in first.' },
  key_not_found: { http: 404, message: 'Key not found' },
  calendar_not_connected: { http: 404, message: 'No such calendar is connected.' },
  calendar_failed: { http: 500, message: 'The calendar provider failed.' },
  database_unreachable: { http: 503, message: 'The database does not answer. Try again in 5 seconds.', retryAfterSeconds: 5 },
  disk_full: {
    http: 503,
    message: 'The disk of this server is full. Try again in 60 seconds; its operator must make room.',
    retryAfterSeconds: 60,
  },
  store_unreachable: {
    http: 503,
    message: 'Nothing of this bot can be read any more. What the store still has of it is deleted as soon as it answers.',
    retryAfterSeconds: 60,
  },
  bot_unreachable: { http: 503, message: 'The bot did not answer.', retryAfterSeconds: 5 },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

/** An answer that is not a success and not our fault. Anything else thrown is a bug or an outage: 500. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly http: number
  /** Fields beside `message` in the answer's body, where the specification has some. */
  readonly extra: Readonly<Record<string, unknown>>
  /** Every 429 and every 503 has one. */
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

/** A 400 whose sentence names the field. */
export function invalid(message: string): ServiceError {
  return new ServiceError('invalid', message)
}

/** Why a bot failed, stable for clients. `PlatformUnavailable`: this server cannot join meetings of the platform. */
export const ERROR_REASONS = [
  'InvalidMeetingLink',
  'MeetingNotFound',
  'MeetingNotStarted',
  'MeetingEnded',
  'MeetingRestricted',
  'SignInRequired',
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
