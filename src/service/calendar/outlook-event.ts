// Maps a Microsoft Graph event to an EventChange.
import type { JsonObject } from '../../domain/bot.ts'
import type { EventChange, GoneEvent, PresentEvent } from '../../domain/calendar.ts'
import { ruleOf } from './outlook-recurrence.ts'
import { wallTime } from './zoned.ts'

/** Finds the master of an occurrence, which itself has only the fields that differ. */
export type MasterOf = (id: string) => JsonObject | undefined

/** Null: an event without a time. */
export function readOutlookEvent(event: JsonObject, masterOf: MasterOf): EventChange | null {
  const platformId = text(event.id)
  if (platformId === null) return null
  const masterPlatformId = text(event.seriesMasterId)
  const master = masterPlatformId === null ? undefined : masterOf(masterPlatformId)
  const originalStart = masterPlatformId === null ? null : (instantIn(event.originalStart) ?? timeIn(event.start))
  const identity = { platformId, masterPlatformId, originalStart, icalUid: text((master ?? event).iCalUId) }
  if (event['@removed'] || event.isCancelled === true) return { kind: 'gone', ...identity }
  // Missing fields of an occurrence are those of its master.
  return presentEvent(event, { ...master, ...event }, identity)
}

function presentEvent(event: JsonObject, whole: JsonObject, identity: Omit<GoneEvent, 'kind'>): PresentEvent | null {
  const kind = kindOf(event)
  const start = timeIn(event.start)
  const end = timeIn(event.end)
  if (!start || !end) return null
  return {
    ...identity,
    kind,
    start,
    end,
    isDerived: event.type === 'occurrence',
    title: text(whole.subject) ?? '',
    isAllDay: whole.isAllDay === true,
    timeZone: text(whole.originalStartTimeZone) ?? 'UTC',
    recurrence: kind === 'master' ? ruleOf(event.recurrence) : [],
    isDeclined: field(whole.responseStatus, 'response') === 'declined',
    places: placesOf(whole),
    changedAt: instantIn(whole.lastModifiedDateTime) ?? new Date(0),
    raw: event,
  }
}

function kindOf(event: JsonObject): PresentEvent['kind'] {
  if (event.type === 'seriesMaster') return 'master'
  return text(event.seriesMasterId) === null ? 'single' : 'occurrence'
}

function placesOf(event: JsonObject): PresentEvent['places'] {
  const online = text(event.onlineMeetingUrl)
  const locations = [event.location, ...(Array.isArray(event.locations) ? event.locations : [])]
  const named = locations.flatMap((it) => [text(field(it, 'locationUri')), text(field(it, 'displayName'))].filter((name) => name !== null))
  return {
    video: text(field(event.onlineMeeting, 'joinUrl')),
    entryPoints: online === null ? [] : [online],
    location: named.length === 0 ? null : named.join('\n'),
    description: text(field(event.body, 'content')) ?? text(event.bodyPreview),
  }
}

function timeIn(value: unknown): Date | null {
  const dateTime = text(field(value, 'dateTime'))
  // Graph sends seven decimals, which Temporal rejects.
  return dateTime === null ? null : wallTime(dateTime.replace(/\.\d+/, ''), text(field(value, 'timeZone')) ?? 'UTC')
}

function instantIn(value: unknown): Date | null {
  const at = new Date(text(value)?.replace(/(\.\d{3})\d+/, '$1') ?? Number.NaN)
  return Number.isNaN(at.getTime()) ? null : at
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as JsonObject)[name] : undefined
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
