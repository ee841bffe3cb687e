// Request parsing that the calendar routes share.
import type { FastifyRequest } from 'fastify'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseDay, parseInstant } from '../../../domain/instant.ts'
import type { Caller } from '../../calendar/schedule.ts'
import { type Connection, listConnections } from '../../db/calendar/connections.ts'
import { callerOf, userOf } from '../auth.ts'
import type { ApiDeps } from '../deps.ts'
import { operationsOf } from '../schema.ts'

export const calendarOperation = operationsOf('Calendars')

/** Calendars belong to users, bots to workspaces. */
export function calendarUser(request: FastifyRequest): Caller {
  return { userId: userOf(request), workspaceId: callerOf(request).workspaceId }
}

/** A date and time, or a date, which means its start in UTC. */
export function momentIn(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const at = parseInstant(text, { offset: 'optional' }) ?? parseDay(text)
  if (!at) throw invalid(`${field} must be an ISO 8601 date and time, for example 2026-12-01T09:00:00Z.`)
  return at
}

export const noCalendar = (): ServiceError =>
  new ServiceError('calendar_not_connected', 'No calendar is connected. Connect one with POST /api/v1/calendar/create_calendar.')

/** Throws a 404 if the user has no connection. */
export async function connectionsOf({ db }: ApiDeps, { userId }: Caller): Promise<readonly [Connection, ...Connection[]]> {
  const [first, ...others] = await listConnections(db, userId)
  if (!first) throw noCalendar()
  return [first, ...others]
}
