import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Master } from '../db/calendar/mirror.ts'
import { occurrencesOf, startAfter, startsBetween } from './recurrence.ts'
import { dayStart, knownZone, wallTime, zonedAt } from './zoned.ts'

afterEach(() => void vi.unstubAllEnvs())

const rule = (wall: string, timeZone: string, ...recurrence: readonly string[]) => ({
  start: wallTime(wall, timeZone),
  timeZone,
  recurrence,
})
const walls = (starts: readonly Date[], timeZone: string) =>
  starts.map((it) => zonedAt(it, timeZone).toPlainDateTime().toString({ smallestUnit: 'minute' }))

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('on a server in %s', (serverZone) => {
  const onServer = <Result>(work: () => Result): Result => {
    vi.stubEnv('TZ', serverZone)
    expect(new Date('2026-11-15T12:00:00Z').getTimezoneOffset()).toBe({ UTC: 0, 'America/New_York': 300, 'Asia/Kolkata': -330 }[serverZone])
    return work()
  }

  test('keeps nine o’clock in New York at nine when daylight saving time changes', () =>
    onServer(() => {
      const daily = rule('2026-10-30T09:00', 'America/New_York', 'RRULE:FREQ=DAILY;COUNT=4')
      const starts = startsBetween(daily, new Date('2026-10-01T00:00Z'), new Date('2026-12-01T00:00Z'))
      expect(starts.map((it) => it.toISOString().slice(0, 16))).toEqual([
        '2026-10-30T13:00',
        '2026-10-31T13:00',
        '2026-11-01T14:00',
        '2026-11-02T14:00',
      ])
      const spring = rule('2026-03-07T09:00', 'America/New_York', 'RRULE:FREQ=DAILY;COUNT=3')
      expect(
        startsBetween(spring, new Date('2026-03-01T00:00Z'), new Date('2026-04-01T00:00Z')).map((it) => it.toISOString().slice(5, 16)),
      ).toEqual(['03-07T14:00', '03-08T13:00', '03-09T13:00'])
    }))

  test('keeps weekly starts in Kolkata, whose offset has a half hour', () =>
    onServer(() => {
      const weekly = rule('2026-10-26T10:15', 'Asia/Kolkata', 'RRULE:FREQ=WEEKLY;BYDAY=MO,TH')
      const starts = startsBetween(weekly, new Date('2026-10-25T00:00Z'), new Date('2026-11-08T00:00Z'))
      expect(walls(starts, 'Asia/Kolkata')).toEqual(['2026-10-26T10:15', '2026-10-29T10:15', '2026-11-02T10:15', '2026-11-05T10:15'])
      expect(starts[0]?.toISOString()).toBe('2026-10-26T04:45:00.000Z')
    }))

  test('applies EXDATE and RDATE of a series', () =>
    onServer(() => {
      const lines = ['RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20261109T090000', 'RDATE;TZID=Europe/Berlin:20261110T170000']
      const starts = startsBetween(
        rule('2026-11-02T09:00', 'Europe/Berlin', ...lines),
        new Date('2026-11-01T00:00Z'),
        new Date('2026-12-31T00:00Z'),
      )
      expect(walls(starts, 'Europe/Berlin')).toEqual(['2026-11-02T09:00', '2026-11-10T17:00', '2026-11-16T09:00', '2026-11-23T09:00'])
    }))

  test('uses the calendar’s zone for whole days, also for one with 25 hours', () =>
    onServer(() => {
      expect(dayStart('2026-11-01', 'America/New_York').toISOString()).toBe('2026-11-01T04:00:00.000Z')
      const [day] = occurrencesOf(wholeDay('2026-11-01', 'America/New_York'), 'cal', {
        from: new Date('2026-10-31T00:00Z'),
        until: new Date('2026-11-02T00:00Z'),
      })
      expect(day).toMatchObject({
        platformId: 'days_20261101',
        end: new Date('2026-11-02T05:00:00Z'),
        raw: { start: { date: '2026-11-01' }, end: { date: '2026-11-02' } },
      })
    }))
})

function wholeDay(day: string, timeZone: string): Master {
  const start = dayStart(day, timeZone)
  return {
    platformId: 'days',
    icalUid: 'uid',
    title: 'Day',
    start,
    end: new Date(start.getTime() + 25 * 3_600_000),
    isAllDay: true,
    timeZone,
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    isDeclined: false,
    meetingUrl: null,
    meetingPlatform: null,
    meetingKey: null,
    changedAt: start,
    raw: { id: 'days', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] },
  }
}

test('expands an endless rule from 2010 quickly, and limits a rule with too many occurrences', () => {
  const began = performance.now()
  const daily = rule('2010-01-01T09:00', 'America/New_York', 'RRULE:FREQ=DAILY')
  const span = [new Date('2026-11-15T00:00Z'), new Date('2027-02-15T00:00Z')] as const
  expect(startsBetween(daily, ...span)).toHaveLength(92)
  expect(startsBetween(rule('2026-11-15T09:00', 'UTC', 'RRULE:FREQ=HOURLY'), ...span)).toHaveLength(1_000)
  expect(() => startsBetween(rule('2026-11-15T09:00', 'UTC', 'RRULE:FREQ=SECONDLY'), ...span)).toThrow('Maximum iterations')
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('finds the start of the n-th occurrence, or null if the rule ends before', () => {
  const weekly = rule('2026-11-16T09:00', 'UTC', 'RRULE:FREQ=WEEKLY;COUNT=5')
  expect(startAfter(weekly, new Date('2026-11-16T09:00Z'), 3)?.toISOString()).toBe('2026-11-30T09:00:00.000Z')
  expect(startAfter(weekly, new Date('2026-11-16T09:00Z'), 6)).toBeNull()
})

test('treats an unknown time zone as UTC', () => {
  expect([knownZone('Europe/Berlin'), knownZone('Pacific Standard Time'), knownZone('')]).toEqual(['Europe/Berlin', 'UTC', 'UTC'])
})
