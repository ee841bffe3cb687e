import { expect, test, vi } from 'vitest'
import { ADA, bench, START } from '../../../test/helpers/meetings/session.ts'

test('stays until the meeting ends, then leaves, saves and reports in this order', async () => {
  const { events, done, path, moves, seen, story } = bench()
  events.push({ kind: 'ended', cause: 'ended', at: START })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'The meeting ended' })
  expect(seen).toEqual(['people'])
  // The bot leaves first, and the recording is saved before the end is reported.
  expect(story.slice(1, 8)).toEqual(['admitted', 'began', 'stopped', 'leaving', 'left the page', 'saved: The meeting ended', 'left'])
})

test('reports what the driver could not do as evidence, and stays', async () => {
  const { events, done, failures } = bench()
  events.push({ kind: 'problem', step: 'breakout room', message: 'The button had no effect', at: START })
  events.push({ kind: 'ended', cause: 'ended', at: START })
  await done
  expect(failures).toEqual(['breakout room: The button had no effect'])
})

test('rejoins the meeting after a move between rooms that did not end', async () => {
  const { events, done, failures } = bench()
  events.push({ kind: 'ended', cause: 'stuck', at: START })
  expect(await done).toEqual({ kind: 'lost', reason: 'PageFrozen' })
  expect(failures).toHaveLength(1)
})

test.each([
  ['removed', 'Kicked', 'RemovedByParticipant'],
  ['lost', 'Error', 'ConnectionLost'],
] as const)('ends a session that is %s with the status %s', async (cause, status, reason) => {
  const { events, done, path, moves } = bench()
  events.push({ kind: 'ended', cause, at: START })
  await done
  expect(path().slice(-2)).toEqual(['Leaving', status])
  expect(moves.at(-1)).toMatchObject({ reason })
})

test.each([
  [{ kind: 'refused' }, 'Denied', 'HostDenied'],
  [{ kind: 'never_admitted' }, 'NotAllowed', 'JoinTimeout'],
  [{ kind: 'over', reason: 'MeetingEnded', message: 'x' }, 'Error', 'MeetingEnded'],
] as const)('leads from the entry outcome %j through Leaving to %s', async (entry, status, reason) => {
  const { done, path, moves, failures } = bench({ entry })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'Leaving', status])
  expect(moves.at(-1)).toMatchObject({ reason })
  expect(failures).toHaveLength(1)
})

test('reports join_failed for an account that cannot be signed in', async () => {
  const { done, moves } = bench({ knock: { kind: 'failed', reason: 'LoginFailed', message: 'Google refused the account' } })
  await done
  expect(moves).toEqual([{ by: 'join_failed', reason: 'LoginFailed', message: 'Google refused the account' }])
})

test('ends a blocked join without reporting the waiting room', async () => {
  const { done, path, moves, story } = bench({ knock: { kind: 'blocked', reason: 'MeetingNotFound', message: 'No such meeting' } })
  await done
  expect(path()).toEqual(['Joining', 'Failed'])
  expect(moves).toEqual([{ by: 'join_blocked', reason: 'MeetingNotFound', message: 'No such meeting' }])
  expect(story).toContain('left the page')
})

test('ends as Error with the failed step when the page fails during the knock', async () => {
  const { done, path, failures, moves } = bench({ knock: new Error('locator.waitFor: Timeout 4000ms exceeded.') })
  await done
  expect(path()).toEqual(['Joining', 'Error'])
  const message = 'The bot could not ask to join: the page of the meeting did not respond as expected'
  expect(failures).toEqual([`knock: ${message}`])
  expect(moves).toContainEqual({ by: 'join_failed', message, reason: 'InternalError' })
})

test('leaves on request with the message of the request', async () => {
  const { done, path, moves, leave } = bench()
  leave('Removed on request')
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Removed on request' })
})

test('greets, and leaves when all others have been gone for 300 s', async () => {
  const { done, people, pass, written, path, moves } = bench({ spec: { greeting: 'Hello' } })
  people(ADA)
  await vi.waitFor(() => expect(written).toEqual(['Hello']))
  people()
  pass(301)
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Everyone else has been gone for 300 s' })
})

test('reports a lost session, and no end of the bot, when its page dies or freezes', async () => {
  const dead = bench()
  dead.die()
  expect(await dead.done).toEqual({ kind: 'lost', reason: 'BrowserCrashed' })
  const frozen = bench()
  frozen.standStill()
  expect(await frozen.done).toEqual({ kind: 'lost', reason: 'PageFrozen' })
  for (const it of [dead, frozen]) {
    expect(it.path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting'])
    expect(it.failures).toHaveLength(1)
    expect(it.story.at(-1)).toBe('saved: The session is over')
  }
})

test('leaves without reporting the waiting room when asked to leave during the knock, whatever its outcome', async () => {
  for (const kind of ['asked', 'blocked'] as const) {
    const knock = kind === 'asked' ? { kind } : { kind, reason: 'MeetingNotFound' as const, message: 'Not found' }
    const { done, leave, path, moves } = bench({ knock })
    leave('Removed on request')
    expect(await done).toEqual({ kind: 'out' })
    expect(path()).toEqual(['Joining', 'Leaving', 'Stopped'])
    expect(moves.at(-1)).toEqual({ by: 'left', message: 'Removed on request' })
  }
})

test('reports left when asked to leave during a knock that then fails', async () => {
  const { done, leave, path, moves, failures } = bench({ knock: new Error('The room did not answer') })
  leave('Removed on request')
  expect(await done).toEqual({ kind: 'out' })
  expect(path()).toEqual(['Joining', 'Leaving', 'Stopped'])
  expect(moves.at(-1)).toEqual({ by: 'left', message: 'Removed on request' })
  expect(failures).toEqual([])
})

test('reports left when the page dies after the request to leave', async () => {
  const { done, die, leave, path } = bench()
  leave('Removed on request')
  die()
  expect(await done).toEqual({ kind: 'out' })
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
})
