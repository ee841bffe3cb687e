// What is announced, held against the specification's "Lifecycle mapping", row by row.
import { expect, test } from 'vitest'
import { announcementOf, doneAs, messageFor } from './announcements.ts'
import type { Status } from './lifecycle.ts'

const SPECIFIED: readonly [Status, event: string, botEvent: string, botStatus: string, code: number][] = [
  ['Scheduled', 'bot.scheduled', 'bot.scheduled', 'Scheduled', 200],
  ['Joining', 'bot.joining', 'bot.joining', 'Joining', 200],
  ['InWaitingRoom', 'bot.in_waiting_room', 'bot.in_waiting_room', 'InWaitingRoom', 200],
  ['InMeeting', 'bot.inmeeting', 'bot.inmeeting', 'InMeeting', 200],
  ['RecordingPermissionAllowed', 'bot.recording_permission_allowed', 'bot.recording_permission_allowed', 'RecordingPermissionAllowed', 200],
  ['RecordingPermissionDenied', 'bot.recording_permission_denied', 'bot.recording_permission_denied', 'RecordingPermissionDenied', 500],
  ['Leaving', 'bot.leaving', 'bot.leaving', 'Leaving', 200],
  ['Stopped', 'bot.stopped', 'bot.stopped', 'Stopped', 200],
  ['Kicked', 'bot.stopped', 'bot.kicked', 'Stopped', 200],
  ['Denied', 'bot.stopped', 'bot.denied', 'Denied', 500],
  ['NotAllowed', 'bot.stopped', 'bot.notallowed', 'NotAllowed', 500],
  ['Failed', 'bot.stopped', 'bot.failed', 'Failed', 500],
  ['Error', 'bot.stopped', 'bot.failed', 'Error', 500],
  ['Done', 'bot.done', 'bot.done', 'Done', 200],
]

test.each(SPECIFIED)('%s is told as %s / %s / %s', (status, event, botEvent, botStatus, statusCode) => {
  expect(announcementOf(status, 'left')).toEqual({ event, botEvent, botStatus, statusCode })
})

test('a scheduled bot that is turned away is told as bot.error, without a status code', () => {
  expect(announcementOf('Error', 'launch_rejected')).toEqual({ event: 'bot.error', botEvent: 'bot.error', botStatus: 'Error' })
})

test('bot.done of a bot that never got in repeats how it ended', () => {
  expect(doneAs('Denied')).toEqual({ event: 'bot.done', botEvent: 'bot.done', botStatus: 'Denied', statusCode: 200 })
})

test('failures carry their prefix, never twice', () => {
  expect(messageFor('Error', 'the browser crashed')).toBe('Error: the browser crashed')
  expect(messageFor('Error', 'Error: the browser crashed')).toBe('Error: the browser crashed')
  for (const status of ['NotAllowed', 'Denied', 'Failed'] as const) expect(messageFor(status, 'no')).toBe('Failed: no')
  expect(messageFor('Stopped', 'The meeting ended')).toBe('The meeting ended')
})
