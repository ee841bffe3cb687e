import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DoorSigns } from './door-signs.ts'
import { PageLog } from './page-log.ts'
import type { PageRules } from './page-rules.ts'
import type { Verdict } from './patience.ts'

const REFUSED: Verdict = { reason: 'JoinRefused', message: 'Google Meet does not let this client join' }
const CLIENT = {
  label: 'Google Meet',
  joinRequest: { url: 'join', readers: {}, suspicionHelp: 'Let the bot sign in.' },
  pageRules: { fatalErrors: ['DisconnectedError'] } as unknown as PageRules,
}
const LOST = 'page error: DisconnectedError: EndCause = 72'

function at(clock: { now: number }) {
  const log = new PageLog({ on: () => undefined } as unknown as Page, () => clock.now)
  return { log, signs: new DoorSigns(CLIENT, log) }
}

test('refuses at once on a fatal page error after the request to join, and ignores one before', () => {
  const clock = { now: 1_000 }
  const { log, signs } = at(clock)
  log.add(LOST)
  clock.now = 2_000
  signs.asked(clock.now)
  expect(signs.judge(null)).toBeNull()
  clock.now = 2_002
  log.add(LOST)
  expect(signs.judge(null)).toEqual({ reason: 'JoinRefused', message: `Google Meet closed the page when the bot asked to join: ${LOST}` })
  signs.forget()
  expect(signs.judge(null), 'another try').toBeNull()
})

test('ignores other page errors, and a rate limit before the request to join', () => {
  const { log, signs } = at({ now: 1_000 })
  signs.receive({ sign: 'limited', detail: 'sync was answered with HTTP 429' })
  expect(signs.judge(null)).toBeNull()
  signs.asked(1_000)
  log.add('page error: TypeError: x is undefined')
  expect(signs.judge(null)?.message).toContain('HTTP 429')
})

test('adds the suspicion to the message of a refusal only', () => {
  const { log, signs } = at({ now: 1_000 })
  const ended: Verdict = { reason: 'MeetingEnded', message: 'The meeting has ended' }
  signs.asked(1_000)
  signs.receive({ sign: 'suspected', detail: 'the join is suspected' })
  expect(signs.judge(null), 'suspicion alone does not refuse').toBeNull()
  expect(signs.judge(ended)).toEqual(ended)
  expect(signs.judge(REFUSED)?.message).toMatch(
    /^Google Meet treats this browser as suspicious\. .* \(Google Meet does not let this client join\)$/,
  )
  expect(log.lines().join()).toContain('the join is suspected')
})

test('keeps the log of one minute, in short lines', () => {
  const clock = { now: 0 }
  const { log } = at(clock)
  log.add('old')
  clock.now = 59_000
  log.add(`new ${'x'.repeat(1_000)}`)
  expect(log.lines()).toHaveLength(2)
  clock.now = 61_000
  expect(log.lines()).toEqual([expect.stringMatching(/^00:00:59\.000 new x{296}$/)])
})
