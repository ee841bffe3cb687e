// Platforms on which the host must allow the recording.
import { expect, test, vi } from 'vitest'
import { ADA, bench, START } from '../../../test/helpers/meetings/session.ts'
import { specFor } from '../../../test/helpers/service/fleet.ts'

const ASKS = { entry: { kind: 'admitted', asksToRecord: true }, platform: 'zoom' } as const

test('records only after the host allows it, and keeps the status RecordingPermissionAllowed', async () => {
  const { done, people, answer, events, path, story, seen, written } = bench({ ...ASKS, spec: { greeting: 'May I record?' } })
  people(ADA)
  await vi.waitFor(() => expect(seen).toEqual(['people']))
  await vi.waitFor(() => expect(written).toEqual(['May I record?']))
  expect(story).toEqual(['join_requested', 'admitted'])
  answer('allowed')
  await vi.waitFor(() => expect(story).toEqual(['join_requested', 'admitted', 'recording_allowed', 'began']))
  events.push({ kind: 'ended', cause: 'ended', at: START })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'RecordingPermissionAllowed', 'Leaving', 'Stopped'])
})

const DENIED_PATH = ['Joining', 'InWaitingRoom', 'InMeeting', 'RecordingPermissionDenied', 'Leaving', 'Stopped']

test('leaves without a recording when the host denies it', async () => {
  const { done, answer, path, story, moves } = bench(ASKS)
  answer('denied')
  expect(await done).toEqual({ kind: 'out' })
  expect(path()).toEqual(DENIED_PATH)
  expect(story).not.toContain('began')
  expect(moves.slice(-3).map(({ message }) => message)).toEqual(Array(3).fill('The host did not allow the recording'))
})

test('leaves when the host has not answered the request to record within recording_permission_denied_timeout', async () => {
  const leave = { ...specFor('https://meet.google.com/abc-defg-hij').leave, recordingPermissionSeconds: 120 }
  const { done, pass, path, story, moves } = bench({ ...ASKS, spec: { leave } })
  await vi.waitFor(() => expect(story).toContain('admitted'))
  pass(121)
  await done
  expect(path()).toEqual(DENIED_PATH)
  expect(story).not.toContain('began')
  expect(moves.at(-1)?.message).toBe('The host did not answer the request to record within 120 s')
})

test('stops the permission timeout when the host answers in time', async () => {
  const { done, pass, answer, people, story, moves } = bench(ASKS)
  people(ADA)
  await vi.waitFor(() => expect(story).toContain('admitted'))
  pass(59)
  answer('allowed')
  await vi.waitFor(() => expect(story).toContain('began'))
  people()
  pass(400)
  await done
  // An unanswered request would be the first reason to leave.
  expect(moves.at(-1)?.message).toBe('Everyone else has been gone for 300 s')
})

test('stops recording and leaves when the host withdraws the permission', async () => {
  const { done, answer, path, story, moves } = bench(ASKS)
  answer('allowed')
  answer('withdrawn')
  await done
  expect(story.slice(1, 7)).toEqual(['admitted', 'recording_allowed', 'began', 'stopped', 'leaving', 'left the page'])
  expect(path().slice(-3)).toEqual(['RecordingPermissionAllowed', 'Leaving', 'Stopped'])
  expect(moves.at(-1)?.message).toBe('The host withdrew the permission to record')
})

test('starts no recording when the permission arrives after remove_bot', async () => {
  const { done, answer, people, leave, story, seen } = bench(ASKS)
  await vi.waitFor(() => expect(story).toContain('admitted'))
  leave('Removed on request')
  await done
  const reports = seen.length
  answer('allowed')
  people(ADA)
  await vi.waitFor(() => expect(seen).toHaveLength(reports + 1))
  expect(story).not.toContain('began')
})
