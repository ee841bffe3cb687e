// A visit to the page before the meeting: a page that does not open, a late host, and a missing passcode.
import { expect, test } from 'vitest'
import type { BotSpec } from '../../../domain/bot.ts'
import { factsOf } from './facts.ts'
import type { PageRules, Screen } from './page-rules.ts'
import { type DoorTools, open, Visit } from './visit.ts'

const SECOND = 1_000

/** A visit to a page, with or without a known passcode, on a manual clock. */
function visit(verdicts: PageRules['verdicts'], passcode: string | null = null) {
  const clock = { now: 0, opened: 0 }
  const page = {
    on: () => undefined,
    off: () => undefined,
    url: () => 'https://x.example',
    goto: async () => {
      clock.opened++
      return { status: () => 200 }
    },
  }
  const client = {
    label: 'X',
    longestName: 64,
    addressOf: () => new URL('https://x.example'),
    pageRules: { verdicts, notices: { door: [], waiting: [], call: [] } },
  }
  const tools = {
    client,
    tab: { page },
    signs: { judge: (seen: unknown) => seen },
    input: { fill: async () => true },
    browser: { isSignedIn: false },
    spec: { name: 'Emissary', meeting: { passcode }, leave: { waitingRoomSeconds: 60 } } as BotSpec,
    now: () => clock.now,
  } as unknown as DoorTools
  const visited = new Visit(tools)
  const see = async (screen: Screen, atSeconds: number, visible: readonly string[] = []) => {
    clock.now = atSeconds * SECOND
    const facts = factsOf({ visible }, 'https://x.example')
    const verdict = visited.judge(screen, facts)
    if (!verdict) await visited.act(screen, facts, new AbortController().signal)
    return verdict
  }
  return { see, clock }
}

test('reloads the page for a late host, and ends after the waiting room timeout', async () => {
  const row = { reason: 'MeetingNotFound', message: 'No meeting', afterSeconds: 0, reload: { afterSeconds: 15, most: 80 } } as const
  const { see, clock } = visit({ not_started: row })
  for (let at = 0; at < 60; at += 5) expect(await see('not_started', at)).toBeNull()
  expect(clock.opened).toBe(3)
  expect(await see('not_started', 60)).toEqual({ reason: 'MeetingNotFound', message: 'No meeting within 60 s' })
})

test('counts reloads for each screen separately', async () => {
  const row = { reason: 'ConnectionLost', message: 'X', afterSeconds: 5, reload: { afterSeconds: 10, most: 1 } } as const
  const { see, clock } = visit({ blank: row, lost: row })
  for (const [screen, at] of [
    ['blank', 0],
    ['blank', 10],
    ['lost', 11],
    ['lost', 21],
  ] as const)
    expect(await see(screen, at)).toBeNull()
  expect(clock.opened).toBe(2)
  expect(await see('lost', 27)).toMatchObject({ reason: 'ConnectionLost' })
})

test('rejects a page that requires a passcode when the link has none', async () => {
  const form = ['nameField', 'passcodeField']
  expect(await visit({}).see('prejoin', 0, form)).toMatchObject({ reason: 'InvalidMeetingLink' })
  expect(await visit({}).see('prejoin', 0, ['nameField'])).toBeNull()
})

/** Opens a page whose attempts give these HTTP statuses or errors, each after this long, on a clock that only pauses and attempts advance. */
function opening(attempts: readonly (number | Error)[], attemptMs = 0) {
  const started: number[] = []
  let now = 0
  const advance = async (ms: number) => {
    now += ms
  }
  const goto = async () => {
    started.push(now)
    await advance(attemptMs)
    const outcome = attempts[started.length - 1] ?? attempts.at(-1)
    if (outcome instanceof Error) throw outcome
    return { status: () => outcome }
  }
  const tab = { page: { goto }, isGone: false } as unknown as DoorTools['tab']
  return {
    started,
    status: open(tab, new URL('https://x.example'), { signal: new AbortController().signal, now: () => now, pause: advance }),
  }
}

test('opens a page again after pauses that grow until the server answers', async () => {
  const { status, started } = opening([503, new Error('net::ERR_CONNECTION_RESET'), 200])
  expect(await status).toBe(200)
  expect(started).toEqual([0, 1_000, 3_000])
})

test('does not open a page again when the pause would pass its deadline', async () => {
  const { status, started } = opening([503], 9 * SECOND)
  expect(await status).toBe(503)
  expect(started).toEqual([0, 10_000, 21_000])
  await expect(opening([new Error('net::ERR_TIMED_OUT')], 30 * SECOND).status).rejects.toThrow('net::ERR_TIMED_OUT')
})

test('stops opening a page at once with the reason of an aborted signal', async () => {
  const aborting = new AbortController()
  const goto = () => new Promise<never>(() => undefined)
  const tab = { page: { goto }, isGone: false } as unknown as DoorTools['tab']
  const opened = open(tab, new URL('https://x.example'), { signal: aborting.signal, now: () => 0 })
  const reason = new Error('The bot was removed')
  aborting.abort(reason)
  await expect(opened).rejects.toBe(reason)
})

test('stops the pause before the next attempt when the signal aborts', async () => {
  const aborting = new AbortController()
  const goto = async () => {
    setImmediate(() => aborting.abort('removed'))
    return { status: () => 503 }
  }
  const tab = { page: { goto }, isGone: false } as unknown as DoorTools['tab']
  await expect(open(tab, new URL('https://x.example'), { signal: aborting.signal, now: () => 0 })).rejects.toBe('removed')
})
