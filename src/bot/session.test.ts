import { expect, test, vi } from 'vitest'
import { specFor } from '../../test/helpers/fleet.ts'
import type { BotSpec } from '../domain/bot.ts'
import { next, type Status, type Trigger } from '../domain/lifecycle.ts'
import type { EntryOutcome, KnockOutcome, MeetingCommand, MeetingEvent } from '../domain/meeting.ts'
import { createQueue } from '../kit/async-queue.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import { attend } from './session.ts'

const START = 1_000_000
const ADA = { id: 'a', name: 'Ada', isHost: true, microphoneOn: true, cameraOn: true }

type Plan = { readonly knock?: KnockOutcome | Error; readonly entry?: EntryOutcome; readonly spec?: Partial<BotSpec> }

/** A meeting that goes as planned, and what the bot made of it, judged by the lifecycle's own table. */
function bench({ knock = { kind: 'asked' }, entry = { kind: 'admitted' }, spec = {} }: Plan = {}) {
  const events = createQueue<MeetingEvent>()
  const performed: MeetingCommand[] = []
  const moves: { by: Trigger; message?: string; reason?: string }[] = []
  const failures: string[] = []
  const seen: string[] = []
  let left = 0
  let now = START
  const driver: MeetingDriver = {
    async knock() {
      if (knock instanceof Error) throw knock
      return knock
    },
    enter: async () => entry,
    events: () => events,
    roster: () => ({ others: [], spokenMs: {}, at: now }),
    perform: async (command) => void performed.push(command),
    pageText: async () => 'what the page says',
    leave: async () => {
      left += 1
    },
  }
  const leaving = new AbortController()
  const done = attend(
    {
      ...{ driver, spec: specFor('https://meet.google.com/abc-defg-hij', spec), now: () => now },
      moved: (by, words) => void moves.push({ by, ...words }),
      seen: (event) => void seen.push(event.kind),
      failed: (step, message) => void failures.push(`${step}: ${message}`),
    },
    leaving.signal,
  )
  return {
    ...{ events, performed, moves, failures, seen, done },
    left: () => left,
    leave: (message: string) => leaving.abort(message),
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    people: (...others: (typeof ADA)[]) => events.push({ kind: 'people', others, spokenMs: {}, at: now }),
    path: (): Status[] => {
      const walked: Status[] = ['Joining']
      for (const { by } of moves) {
        const to = next(walked.at(-1) ?? 'new', by, 'google_meet')
        if (to) walked.push(to)
      }
      return walked
    },
  }
}

test('a bot that is let in stays until the meeting ends', async () => {
  const { events, done, path, moves, left, seen } = bench()
  events.push({ kind: 'ended', how: 'ended', at: START })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'InMeeting', 'Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'The meeting ended' })
  expect(left()).toBeGreaterThan(0)
  expect(seen).toEqual(['people'])
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
  [{ kind: 'over', message: 'x' }, 'Error', 'MeetingEnded'],
] as const)('at the door, %j leads through Leaving to %s', async (entry, status, reason) => {
  const { done, path, moves, failures } = bench({ entry })
  await done
  expect(path()).toEqual(['Joining', 'InWaitingRoom', 'Leaving', status])
  expect(moves.at(-1)).toMatchObject({ reason })
  expect(failures).toHaveLength(1)
})

test('a blocked join never reaches the waiting room', async () => {
  const { done, path, moves, left } = bench({ knock: { kind: 'blocked', reason: 'MeetingNotFound', message: 'No such meeting' } })
  await done
  expect(path()).toEqual(['Joining', 'Failed'])
  expect(moves).toEqual([{ by: 'join_blocked', reason: 'MeetingNotFound', message: 'No such meeting' }])
  expect(left()).toBeGreaterThan(0)
})

test('a browser that breaks at the door ends as Error, with the step', async () => {
  const { done, path, failures } = bench({ knock: new Error('page crashed') })
  await done
  expect(path()).toEqual(['Joining', 'Error'])
  expect(failures).toEqual(['knock: page crashed'])
})

test('asked to leave, it says who asked', async () => {
  const { done, path, moves, leave } = bench()
  leave('Removed on request')
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Removed on request' })
})

test('it greets, and leaves when everyone has been gone for long enough', async () => {
  const { done, people, pass, performed, path, moves } = bench({ spec: { greeting: 'Hello' } })
  people(ADA)
  await vi.waitFor(() => expect(performed).toEqual([{ kind: 'send_message', text: 'Hello' }]))
  people()
  pass(301)
  await done
  expect(path().slice(-2)).toEqual(['Leaving', 'Stopped'])
  expect(moves.at(-1)).toMatchObject({ message: 'Everyone else has been gone for 300 s' })
})
