// The announcements against the specification's "Lifecycle mapping", row by row.
import { expect, test } from 'vitest'
import { announcementOf, doneAs, EVENT_NAMES, LIVE_WORDS_FAILED, mediaAnnouncement, messageFor, noticeOf } from './announcements.ts'
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

test.each(SPECIFIED)('announces %s as %s / %s / %s', (status, event, botEvent, botStatus, statusCode) => {
  expect(announcementOf(status, 'left')).toEqual({ event, botEvent, botStatus, statusCode })
})

test('has an event for every status, also where the specification has none', () => {
  const announced = (status: Status) => announcementOf(status, 'left')
  expect(announced('Cancelled')).toEqual({ event: 'bot.cancelled', botEvent: 'bot.cancelled', botStatus: 'Cancelled', statusCode: 200 })
  const processing = { event: 'bot.mediaprocessing', botEvent: 'bot.mediaprocessing', botStatus: 'MediaProcessing', statusCode: 200 }
  expect(announced('MediaProcessing')).toEqual({ ...processing, status: 'success' })
})

test.each([
  ['audio', true, 'audio.processed', 200, 'success'],
  ['audio', false, 'audio.processed', 500, 'error'],
  ['video', true, 'video.processed', 200, 'success'],
  ['video', false, 'video.processed', 500, 'error'],
  ['transcription', true, 'transcription.processed', 200, 'success'],
  ['transcription', false, 'transcription.failed', 500, 'error'],
] as const)('announces %s with success %s as %s', (media, ok, event, statusCode, status) => {
  expect(mediaAnnouncement(media, ok)).toEqual({ event, botEvent: event, botStatus: event, statusCode, status })
})

test('repeats the event name as bot_status for informational events after the call', () => {
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

test('announces a failed live provider as bot.error with status InMeeting and no status code', () => {
  expect(LIVE_WORDS_FAILED).toEqual({ event: 'bot.error', botEvent: 'bot.error', botStatus: 'InMeeting' })
})

test('announces a Google Meet recording only with a callback_url', () => {
  const announced = (platform: 'google_meet' | 'teams' | 'zoom' | 'room', hasCallback: boolean) =>
    noticeOf('Recording', platform, hasCallback).announcement !== null
  expect([announced('google_meet', true), announced('google_meet', false)]).toEqual([true, false])
  for (const platform of ['teams', 'zoom', 'room'] as const) expect(announced(platform, false)).toBe(true)
  expect(noticeOf('Recording', 'google_meet', false).saying).toMatch(/recorded/)
})

test('has unique event names', () => {
  expect(new Set(EVENT_NAMES).size).toBe(26)
})

test('announces a rejected scheduled bot as bot.error without a status code', () => {
  expect(announcementOf('Error', 'launch_rejected')).toEqual({ event: 'bot.error', botEvent: 'bot.error', botStatus: 'Error' })
})

test('repeats the status of the end in bot.done for a bot that was never admitted', () => {
  expect(doneAs('Denied')).toEqual({ event: 'bot.done', botEvent: 'bot.done', botStatus: 'Denied', statusCode: 200 })
})

test('puts exactly one prefix before a failure message', () => {
  expect(messageFor('Error', 'the browser crashed')).toBe('Error: the browser crashed')
  expect(messageFor('Error', 'Error: the browser crashed')).toBe('Error: the browser crashed')
  for (const status of ['NotAllowed', 'Denied', 'Failed'] as const) expect(messageFor(status, 'no')).toBe('Failed: no')
  expect(messageFor('Failed', 'Error: no')).toBe('Failed: no')
  expect(messageFor('Stopped', 'The meeting ended')).toBe('The meeting ended')
})
