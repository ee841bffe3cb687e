// The lifecycle against the specification's own table, row by row.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLastWord, next, RUNNING, STATUSES, type Status, statusOf, TERMINAL, TRANSITIONS, type Trigger } from './lifecycle.ts'
import { PLATFORM_NAMES, type Platform } from './platforms.ts'

const TRIGGERS = [...new Set(TRANSITIONS.map(({ on }) => on))]
const [A, B, C] = ['zoom', 'google_meet', 'teams'] as const

/** Every row of "States and transitions", copied from the specification. */
const SPECIFIED: readonly [from: Status | 'new', trigger: Trigger, to: Status, platforms: readonly Platform[]][] = [
  ['new', 'created', 'Joining', [A, B, C]],
  ['new', 'scheduled', 'Scheduled', [A, B, C]],
  ['Scheduled', 'launched', 'Joining', [A, B, C]],
  ['Scheduled', 'cancelled', 'Cancelled', [A, B, C]],
  ['Scheduled', 'launch_rejected', 'Error', [A, B, C]],
  ['Scheduled', 'launch_exhausted', 'Error', [A, B, C]],
  ['Joining', 'join_requested', 'InWaitingRoom', [A, B, C]],
  ['Joining', 'join_blocked', 'Failed', [B, C]],
  ['Joining', 'join_failed', 'Error', [A, B, C]],
  ['InWaitingRoom', 'admitted', 'InMeeting', [A, B, C]],
  ['InWaitingRoom', 'leaving', 'Leaving', [A, B, C]],
  ['InMeeting', 'recording_allowed', 'RecordingPermissionAllowed', [A]],
  ['InMeeting', 'recording_denied', 'RecordingPermissionDenied', [A]],
  ['InMeeting', 'leaving', 'Leaving', [A, B, C]],
  ['RecordingPermissionAllowed', 'leaving', 'Leaving', [A]],
  ['RecordingPermissionDenied', 'leaving', 'Leaving', [A]],
  ['Leaving', 'left', 'Stopped', [A, B, C]],
  ['Leaving', 'removed', 'Kicked', [A, B, C]],
  ['Leaving', 'never_admitted', 'NotAllowed', [A, B, C]],
  ['Leaving', 'refused', 'Denied', [A, B, C]],
  ['Leaving', 'failed', 'Error', [A, B, C]],
  ['Stopped', 'processing_started', 'MediaProcessing', [A, B, C]],
  ['Kicked', 'processing_started', 'MediaProcessing', [A, B, C]],
  ['Error', 'processing_started', 'MediaProcessing', [A, C]],
  ['MediaProcessing', 'processing_finished', 'Done', [A, B, C]],
  ['Done', 'media_deleted', 'MediaExpired', [A, B, C]],
]

describe('the table', () => {
  test.each(SPECIFIED)('leads from %s by %s to %s', (from, trigger, to, platforms) => {
    for (const platform of platforms) expect(next(from, trigger, platform)).toBe(to)
  })

  test('refuses the rows of one platform on the others', () => {
    expect(next('InMeeting', 'recording_allowed', B)).toBeNull()
    expect(next('InMeeting', 'recording_denied', C)).toBeNull()
    expect(next('Error', 'processing_started', B)).toBeNull()
    expect(next('Joining', 'join_blocked', A)).toBe('Error')
  })

  test('leads from an end only to media processing and deletion', () => {
    const later: readonly Trigger[] = ['processing_started', 'processing_finished', 'processing_retried', 'media_deleted']
    const others = TRIGGERS.filter((trigger) => !later.includes(trigger))
    for (const status of TERMINAL) {
      for (const trigger of others)
        for (const platform of PLATFORM_NAMES) expect(next(status, trigger, platform), `${status} ${trigger}`).toBeNull()
    }
  })

  test('has the terminal statuses of the specification', () => {
    const specified = ['Stopped', 'Kicked', 'NotAllowed', 'Denied', 'Failed', 'Error', 'Done', 'MediaExpired', 'Cancelled']
    expect([...TERMINAL].sort()).toEqual(specified.sort())
  })

  test('has at most one target for each status, trigger and platform', () => {
    for (const status of ['new', ...STATUSES] as const) {
      for (const trigger of TRIGGERS) {
        for (const platform of PLATFORM_NAMES) {
          const targets = TRANSITIONS.filter(
            (row) => row.on === trigger && row.from.includes(status) && (row.only?.includes(platform) ?? true),
          )
          expect(targets.length, `${status} ${trigger} ${platform}`).toBeLessThanOrEqual(1)
        }
      }
    }
  })
})

describe('any sequence of triggers', () => {
  const sequence = fc.record({
    platform: fc.constantFrom(...PLATFORM_NAMES),
    triggers: fc.array(fc.constantFrom(...TRIGGERS), { maxLength: 60 }),
  })

  /** The statuses after these triggers. A trigger without a row changes nothing. */
  function path(platform: Platform, triggers: readonly Trigger[]): Status[] {
    const walked: Status[] = []
    for (const trigger of triggers) {
      const to = next(walked.at(-1) ?? 'new', trigger, platform)
      if (to) walked.push(to)
    }
    return walked
  }

  test('follows rows of the table at every step', () => {
    fc.assert(
      fc.property(sequence, ({ platform, triggers }) => {
        const walked = path(platform, triggers)
        walked.reduce<Status | 'new'>((from, to) => {
          const row = TRANSITIONS.some((it) => it.from.includes(from) && it.to === to && (it.only?.includes(platform) ?? true))
          expect(row, `${from} -> ${to} on ${platform}`).toBe(true)
          return to
        }, 'new')
      }),
      { numRuns: 5_000 },
    )
  })

  test('visits no status twice, unless an operator has a recording processed again', () => {
    fc.assert(
      fc.property(sequence, ({ platform, triggers }) => {
        const walked = path(
          platform,
          triggers.filter((it) => it !== 'processing_retried'),
        )
        expect(new Set(walked).size).toBe(walked.length)
      }),
      { numRuns: 5_000 },
    )
  })

  test('passes Leaving before any end inside the meeting', () => {
    fc.assert(
      fc.property(sequence, ({ platform, triggers }) => {
        const walked = path(platform, triggers)
        for (const end of ['Stopped', 'Kicked', 'NotAllowed', 'Denied'] as const) {
          const at = walked.indexOf(end)
          if (at >= 0) expect(walked[at - 1]).toBe('Leaving')
        }
        if (walked.includes('MediaExpired')) expect(walked.at(-1)).toBe('MediaExpired')
      }),
      { numRuns: 5_000 },
    )
  })
})

test('ends at once for a bot that was never admitted, and after media processing for others', () => {
  for (const status of ['NotAllowed', 'Denied', 'Failed'] as const) expect(isLastWord(status, 'refused', A)).toBe(true)
  expect(isLastWord('Error', 'join_failed', B)).toBe(true)
  expect(isLastWord('Error', 'join_failed', A)).toBe(false)
  expect(isLastWord('Error', 'join_failed', C)).toBe(false)
  expect(isLastWord('Error', 'launch_rejected', A)).toBe(true)
  expect(isLastWord('Stopped', 'left', B)).toBe(false)
})

test('finds a status by filter in any case', () => {
  expect(statusOf('FAILED')).toBe('Failed')
  expect(statusOf('ERROR')).toBe('Error')
  expect(statusOf('inmeeting')).toBe('InMeeting')
  expect(statusOf('Active')).toBeUndefined()
})

test('counts an ended bot as not running', () => {
  for (const status of RUNNING) expect(TERMINAL.has(status)).toBe(false)
})
