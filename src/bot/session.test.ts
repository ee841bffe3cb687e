import { expect, test, vi } from 'vitest'
import { ADA, bench, START } from '../../test/helpers/session.ts'

test('a bot that is let in stays until the meeting ends', async () => {
  const { events, done, path, moves, seen, story } = bench()
  events.push({ kind: 'ended', how: 'ended', at: START })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'The meeting ended' })
  expect(seen).toEqual(['people'])
  // The others see it go first, and what was recorded is safe before the ending is told.
  expect(story.slice(1, 8)).toEqual(['admitted', 'began', 'stopped', 'leaving', 'left the page', 'saved: The meeting ended', 'left'])
})

test.each([
  ['removed', 'Kicked', 'RemovedByParticipant'],
  ['lost', 'Error', 'ConnectionLost'],
] as const)('a bot that is %s ends as %s', async (how, status, reason) => {
  const { events, done, path, moves } = bench()
  events.push({ kind: 'ended', how, at: START })
  await done
  expect(path().slice(-2)).toEqual(['Leaving', status])
  expect(moves.at(-1)).toMatchObject({ reason })
})

test.each([
  [{ kind: 'refused' }, 'Denied', 'HostDenied'],
  [{ kind: 'never_admitted' }, 'NotAllowed', 'JoinTimeout'],
  [{ kind: 'over', reason: 'MeetingEnded', message: 'x' }, 'Error', 'MeetingEnded'],
] as const)('at the door, %j leads through Leaving to %s', async (entry, status, reason) => {
  const { done, path, moves, failures } = bench({ entry })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'Leaving', status])
  expect(moves.at(-1)).toMatchObject({ reason })
  expect(failures).toHaveLength(1)
})

test('an account that cannot be signed in is the bot’s own failure', async () => {
  const { done, moves } = bench({ knock: { kind: 'failed', reason: 'LoginFailed', message: 'Google refused the account' } })
  await done
  expect(moves).toEqual([{ by: 'join_failed', reason: 'LoginFailed', message: 'Google refused the account' }])
})

test('a blocked join never reaches the waiting room', async () => {
  const { done, path, moves, story } = bench({ knock: { kind: 'blocked', reason: 'MeetingNotFound', message: 'No such meeting' } })
  await done
  expect(path()).toEqual(['Joining', 'Failed'])
  expect(moves).toEqual([{ by: 'join_blocked', reason: 'MeetingNotFound', message: 'No such meeting' }])
  expect(story).toContain('left the page')
})

test('a browser that breaks at the door ends as Error, with the step', async () => {
  const { done, path, failures, moves } = bench({ knock: new Error('locator.waitFor: Timeout 4000ms exceeded.') })
  await done
  expect(path()).toEqual(['Joining', 'Error'])
  const message = 'The bot could not ask to join: the page of the meeting did not respond as expected'
  expect(failures).toEqual([`knock: ${message}`])
  expect(moves).toContainEqual({ by: 'join_failed', message, reason: 'InternalError' })
})

test('asked to leave, it says who asked', async () => {
  const { done, path, moves, leave } = bench()
  leave('Removed on request')
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Removed on request' })
})

test('it greets, and leaves when everyone has been gone for long enough', async () => {
  const { done, people, pass, written, path, moves } = bench({ spec: { greeting: 'Hello' } })
  people(ADA)
  await vi.waitFor(() => expect(written).toEqual(['Hello']))
  people()
  pass(301)
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Everyone else has been gone for 300 s' })
})

test('a page that dies or stands still ends no bot: what broke is said, and it can be sent again', async () => {
  const dead = bench()
  dead.die()
  expect(await dead.done).toEqual({ kind: 'lost', reason: 'BrowserCrashed' })
  const stiff = bench()
  stiff.standStill()
  expect(await stiff.done).toEqual({ kind: 'lost', reason: 'PageFrozen' })
  for (const it of [dead, stiff]) {
    expect(it.path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting'])
    expect(it.failures).toHaveLength(1)
    expect(it.story.at(-1)).toBe('saved: The session is over')
  }
})

test('a bot that is told to leave while it knocks leaves without having waited, whatever came of the knock', async () => {
  for (const kind of ['asked', 'blocked'] as const) {
    const knock = kind === 'asked' ? { kind } : { kind, reason: 'MeetingNotFound' as const, message: 'Not found' }
    const { done, leave, path, moves } = bench({ knock })
    leave('Removed on request')
    expect(await done).toEqual({ kind: 'out' })
    expect(path()).toEqual(['Joining', 'Leaving', 'Stopped'])
    expect(moves.at(-1)).toEqual({ by: 'left', message: 'Removed on request' })
  }
})

test('a bot that is asked to leave while it knocks has left, also when the knock fails because of that', async () => {
  const { done, leave, path, moves, failures } = bench({ knock: new Error('The room did not answer') })
  leave('Removed on request')
  expect(await done).toEqual({ kind: 'out' })
  expect(path()).toEqual(['Joining', 'Leaving', 'Stopped'])
  expect(moves.at(-1)).toEqual({ by: 'left', message: 'Removed on request' })
  expect(failures).toEqual([])
})

test('a bot that was told to leave has left, also when its page dies on the way', async () => {
  const { done, die, leave, path } = bench()
  leave('Removed on request')
  die()
  expect(await done).toEqual({ kind: 'out' })
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
})
