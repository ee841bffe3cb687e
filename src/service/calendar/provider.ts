// What every calendar provider offers, in one set of words, and how it fails.
import type { CalendarProvider, EventChange } from '../../domain/calendar.ts'
import type { ListedCalendar } from '../db/calendars-list.ts'

export type Credentials = { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string }

/** Where a read goes on, or the span that a full one covers. */
export type ReadFrom = { readonly token: string } | { readonly since: Date; readonly until: Date }

export type ChangePage = {
  readonly changes: readonly EventChange[]
  /** On the last page: where the next read goes on. */
  readonly token: string | null
}

type WatchOrder = { readonly channelId: string; readonly secret: string; readonly address: string; readonly until: Date }

/** One account at its provider. Everything it throws is a ProviderError. */
export interface CalendarAccount {
  readonly provider: CalendarProvider
  email(): Promise<string>
  calendars(): Promise<readonly ListedCalendar[]>
  /** Page by page, so that ten thousand events need the memory of one page. */
  changes(calendar: Pick<ListedCalendar, 'platformId' | 'timeZone'>, from: ReadFrom): AsyncIterable<ChangePage>
  /** Asks the provider to tell `address` about changes. Returns what is needed to stop that, and until when it lasts. */
  watch(calendar: Pick<ListedCalendar, 'platformId'>, order: WatchOrder): Promise<{ readonly resource: string; readonly until: Date }>
  unwatch(channel: { readonly id: string; readonly resource: string }): Promise<void>
}

/** revoked: the grant is gone. stale: the token of an incremental read no longer holds. gone: there is no such calendar. */
export type ProviderFault = 'revoked' | 'stale' | 'gone' | 'busy' | 'refused' | 'down'

export class ProviderError extends Error {
  readonly fault: ProviderFault
  /** How long the provider wants to be left alone. */
  readonly retryAfterSeconds: number | null

  constructor(
    fault: ProviderFault,
    message: string,
    { cause, retryAfterSeconds = null }: { cause?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, { cause })
    this.name = 'ProviderError'
    this.fault = fault
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** `Retry-After` as seconds, or as a date. */
export function retryAfterIn(header: string | null | undefined, now: Date): number | null {
  if (!header) return null
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}
