// The interface of all calendar providers, and their errors.
import type { CalendarProvider, EventChange } from '../../domain/calendar.ts'
import type { ListedCalendar } from '../db/calendar/calendars.ts'

export type Credentials = { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string }

/** The token of an incremental read, or the span of a full one. */
export type ReadFrom = { readonly token: string } | { readonly since: Date; readonly until: Date }

export type ChangePage = {
  readonly changes: readonly EventChange[]
  /** On the last page: the token of the next incremental read. */
  readonly token: string | null
}

type WatchOrder = { readonly channelId: string; readonly secret: string; readonly address: string; readonly until: Date }

/** One account at its provider. It throws only ProviderErrors. */
export interface CalendarAccount {
  readonly provider: CalendarProvider
  email(): Promise<string>
  calendars(): Promise<readonly ListedCalendar[]>
  /** Page by page, so that ten thousand events need the memory of one page. */
  changes(calendar: Pick<ListedCalendar, 'platformId' | 'timeZone'>, from: ReadFrom): AsyncIterable<ChangePage>
  /** Subscribes `address` to changes. Returns the handle for `unwatch`, and the expiry. */
  watch(calendar: Pick<ListedCalendar, 'platformId'>, order: WatchOrder): Promise<{ readonly resource: string; readonly until: Date }>
  unwatch(channel: { readonly id: string; readonly resource: string }): Promise<void>
}

/** revoked: the grant is revoked. stale: the token of an incremental read is invalid. gone: the calendar does not exist. */
export type ProviderFault = 'revoked' | 'stale' | 'gone' | 'busy' | 'refused' | 'down'

type ProviderErrorOptions = ErrorOptions & { readonly retryAfterSeconds?: number | null }

export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly fault: ProviderFault
  /** The provider's Retry-After. */
  readonly retryAfterSeconds: number | null

  constructor(fault: ProviderFault, message: string, { retryAfterSeconds = null, ...options }: ProviderErrorOptions = {}) {
    super(message, options)
    this.fault = fault
    this.retryAfterSeconds = retryAfterSeconds
  }
}
