// A visit to the page before the meeting: a late host, and a missing passcode.
import { expect, test } from 'vitest'
import type { BotSpec } from '../../../domain/bot.ts'
import { factsOf } from './facts.ts'
import type { PlatformTables, Screen } from './tables.ts'
import { type DoorTools, Visit } from './visit.ts'

const SECOND = 1_000

/** A visit to a page, with or without a known passcode, on a manual clock. */
function visit(verdicts: PlatformTables['verdicts'], passcode: string | null = null) {
  const clock = { now: 0, opened: 0 }
  const page = {
    ...{ on: () => undefined, off: () => undefined, url: () => 'https://x.example' },
    goto: async () => {
      clock.opened++
      return { status: () => 200 }
    },
  }
  const client = {
    ...{ label: 'X', longestName: 64, joinRequest: null, addressOf: () => new URL('https://x.example'), passcodeOf: () => passcode },
    tables: { verdicts, notices: { door: [], waiting: [], call: [] } },
  }
  const tools = {
    ...{
      client,
      tab: { page },
      signs: { judge: (seen: unknown) => seen },
      input: { fill: async () => true },
      browser: { isSignedIn: false },
    },
    ...{ spec: { name: 'Emissary', leave: { waitingRoomSeconds: 60 } } as BotSpec, now: () => clock.now },
  } as unknown as DoorTools
  const visited = new Visit(tools)
  const see = async (screen: Screen, atSeconds: number, visible: readonly string[] = []) => {
    clock.now = atSeconds * SECOND
    const facts = factsOf({ visible }, 'https://x.example')
    const verdict = visited.judge(screen, facts)
    if (!verdict) await visited.act(screen, facts)
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
