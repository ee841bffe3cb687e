// What is announced, held against the specification's "Lifecycle mapping", row by row.
import { expect, test } from 'vitest'
import { announcementOf, doneAs, EVENT_NAMES, LIVE_WORDS_FAILED, madeOf, messageFor, noticeOf } from './announcements.ts'
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

test('every status has an event, also those for which the specification has none', () => {
  const told = (status: Status) => announcementOf(status, 'left')
  expect(told('Cancelled')).toEqual({ event: 'bot.cancelled', botEvent: 'bot.cancelled', botStatus: 'Cancelled', statusCode: 200 })
  const processing = { event: 'bot.mediaprocessing', botEvent: 'bot.mediaprocessing', botStatus: 'MediaProcessing', statusCode: 200 }
  expect(told('MediaProcessing')).toEqual({ ...processing, status: 'success' })
})

test.each([
  ['audio', true, 'audio.processed', 200, 'success'],
  ['audio', false, 'audio.processed', 500, 'error'],
  ['video', true, 'video.processed', 200, 'success'],
  ['video', false, 'video.processed', 500, 'error'],
  ['transcription', true, 'transcription.processed', 200, 'success'],
  ['transcription', false, 'transcription.failed', 500, 'error'],
] as const)('%s that succeeded: %s is told as %s', (what, ok, event, statusCode, status) => {
  expect(madeOf(what, ok)).toEqual({ event, botEvent: event, botStatus: event, statusCode, status })
})

test('informational events after the call say their own name as bot_status', () => {
  const event = 'bot.transcriptionready'
  expect(noticeOf('TranscriptionReady', 'room', false).announcement).toEqual({
    event,
    botEvent: event,
    botStatus: event,
    statusCode: 200,
    status: 'success',
  })
  const uploading = { event: 'bot.uploading', botEvent: 'bot.uploading', botStatus: 'bot.uploading', statusCode: 200, status: 'success' }
  expect(noticeOf('Uploading', 'zoom', false).announcement).toEqual(uploading)
})

test('a live provider that fails is bot.error of a bot that stays, without a status code', () => {
  expect(LIVE_WORDS_FAILED).toEqual({ event: 'bot.error', botEvent: 'bot.error', botStatus: 'InMeeting' })
})

test('only Google Meet keeps its recording to those who gave a callback_url', () => {
  const told = (platform: 'google_meet' | 'teams' | 'zoom' | 'room', hasCallback: boolean) =>
    noticeOf('Recording', platform, hasCallback).announcement !== null
  expect([told('google_meet', true), told('google_meet', false)]).toEqual([true, false])
  for (const platform of ['teams', 'zoom', 'room'] as const) expect(told(platform, false)).toBe(true)
  expect(noticeOf('Recording', 'google_meet', false).saying).toMatch(/recorded/)
})

test('no name is there twice', () => {
  expect(new Set(EVENT_NAMES).size).toBe(26)
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
  expect(messageFor('Failed', 'Error: no')).toBe('Failed: no')
  expect(messageFor('Stopped', 'The meeting ended')).toBe('The meeting ended')
})
