import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LEAVE_DEFAULTS } from './automatic-leave.ts'
import { areOnlyBots, type MeetingFacts, reasonToLeave } from './reason-to-leave.ts'

const S = 1000
const RULES = { ...LEAVE_DEFAULTS, silenceSeconds: 120, onlyBots: { matches: ['Notetaker'], activateAfterSeconds: 300, timeoutSeconds: 5 } }

/** An active meeting at this second. Each test changes some of it. */
const at = (second: number, change: Partial<MeetingFacts> = {}): MeetingFacts => ({
  now: second * S,
  enteredAt: 0,
  everHadCompany: true,
  aloneSince: null,
  onlyBotsSince: null,
  lastMediaAt: second * S,
  lastVoiceAt: second * S,
  permissionAskedAt: null,
  ...change,
})
const alone = { lastMediaAt: null }

describe('a bot that matches no rule', () => {
  test('stays while participants are there and talk', () => {
    expect(reasonToLeave(RULES, at(10_000))).toBeNull()
  })

  test('stays with an empty roster while media arrives', () => {
    expect(reasonToLeave(RULES, at(2_000, { aloneSince: 0 }))).toBeNull()
    expect(reasonToLeave(RULES, at(2_000, { aloneSince: 0, lastMediaAt: 1_994 * S }))).toMatchObject({ rule: 'everyone_left' })
  })

  test('stays in silence without a silence limit', () => {
    expect(reasonToLeave(LEAVE_DEFAULTS, at(10_000, { lastVoiceAt: 0 }))).toBeNull()
  })

  test('stays among bots before the rule is active, and after a human has joined', () => {
    expect(reasonToLeave(RULES, at(299, { onlyBotsSince: 0 }))).toBeNull()
    expect(reasonToLeave(RULES, at(1_000, { onlyBotsSince: null }))).toBeNull()
  })
})

describe('a bot that matches a rule', () => {
  test.each([
    ['longest_call', at(14_400), at(14_399)],
    ['permission_unanswered', at(60, { permissionAskedAt: 0 }), at(59, { permissionAskedAt: 0 })],
    [
      'no_one_joined',
      at(600, { ...alone, everHadCompany: false, aloneSince: 0 }),
      at(599, { ...alone, everHadCompany: false, aloneSince: 0 }),
    ],
    ['everyone_left', at(1_300, { ...alone, aloneSince: 1_000 * S }), at(1_299, { ...alone, aloneSince: 1_000 * S })],
    ['silence', at(520, { lastVoiceAt: 400 * S }), at(519, { lastVoiceAt: 400 * S })],
    ['silence', at(120, { lastVoiceAt: null }), at(119, { lastVoiceAt: null })],
    ['only_bots', at(405, { onlyBotsSince: 400 * S }), at(404, { onlyBotsSince: 400 * S })],
    ['only_bots', at(305, { onlyBotsSince: 0 }), at(304, { onlyBotsSince: 0 })],
  ] as const)('leaves by %s exactly at its limit', (rule, now, before) => {
    expect(reasonToLeave(RULES, now)).toMatchObject({ rule, message: expect.any(String) })
    expect(reasonToLeave(RULES, before)).toBeNull()
  })

  test('leaves by everyone_left, not no_one_joined, after others were there', () => {
    expect(reasonToLeave(RULES, at(5_000, { ...alone, aloneSince: 0 }))?.rule).toBe('everyone_left')
  })
})

test('matches bot names by any part and in any case, but not an empty meeting', () => {
  const rule = RULES.onlyBots
  expect(areOnlyBots(['Acme NOTETAKER', "Ben's notetaker (2)"], rule)).toBe(true)
  expect(areOnlyBots(['Acme Notetaker', 'Ada'], rule)).toBe(false)
  expect(areOnlyBots([], rule)).toBe(false)
})

test('keeps its reason as time passes', () => {
  const moment = fc.integer({ min: 0, max: 20_000 })
  const facts = fc.record({
    second: moment,
    later: moment,
    alone: fc.boolean(),
    company: fc.boolean(),
    voice: fc.boolean(),
    bots: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, ({ second, later, ...it }) => {
      const known = (now: number) =>
        at(now, {
          everHadCompany: it.company,
          aloneSince: it.alone ? 0 : null,
          lastMediaAt: it.alone ? null : now * S,
          lastVoiceAt: it.voice ? 0 : null,
          onlyBotsSince: it.bots ? 0 : null,
        })
      if (reasonToLeave(RULES, known(second))) expect(reasonToLeave(RULES, known(second + later))).not.toBeNull()
    }),
  )
})
