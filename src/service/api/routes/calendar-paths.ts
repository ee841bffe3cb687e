// What the calendar routes share: ids, moments, and the owner of a calendar.
import type { FastifyRequest } from 'fastify'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseDay, parseInstant } from '../../../domain/instant.ts'
import type { Caller } from '../../calendar/schedule.ts'
import { type Connection, listConnections } from '../../db/calendars.ts'
import { callerOf, userOf } from '../auth.ts'
import type { ApiDeps } from '../deps.ts'

export const CALENDAR_TAGS = ['Calendars']

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** The id of an event, or the 404 of an unknown one: what is no id cannot be known. */
export function eventIdIn(text: string): string {
  if (!ID.test(text)) throw new ServiceError('event_not_found')
  return text
}

/** Calendars belong to users, bots to their workspace. */
export function calendarUser(request: FastifyRequest): Caller {
  return { userId: userOf(request), workspaceId: callerOf(request).workspaceId }
}

/** A moment, or the beginning of a day in UTC. */
export function momentIn(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const at = parseInstant(text, { offset: 'optional' }) ?? parseDay(text)
  if (!at) throw invalid(`${field} must be an ISO 8601 date and time, for example 2026-12-01T09:00:00Z.`)
  return at
}

/** Throws a 404 where the user has connected nothing. */
export async function connectionsOf({ db }: ApiDeps, { userId }: Caller): Promise<readonly [Connection, ...Connection[]]> {
  const [first, ...others] = await listConnections(db, userId)
  if (!first) throw new ServiceError('calendar_not_connected', 'No calendar is connected.')
  return [first, ...others]
}
