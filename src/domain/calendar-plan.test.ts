import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Candidate, type Existing, type Phase, planSteps, type Step, slotKey, wantedBots } from './calendar-plan.ts'

const NOW = new Date('2026-11-15T12:00:00Z')
const at = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

const candidate = (change: Partial<Candidate> = {}): Candidate => ({
  eventId: 'evt_1',
  occurrenceKey: 'uid',
  meetingKey: 'zoom:1',
  start: at(60),
  end: at(90),
  changedAt: at(-60),
  attended: true,
  request: null,
  requestedAt: null,
  auto: true,
  ...change,
})
const existing = (change: Partial<Existing> = {}): Existing => ({
  scheduleId: 'sch_1',
  botId: 'bot_1',
  eventId: 'evt_1',
  occurrenceKey: 'uid',
  meetingKey: 'zoom:1',
  start: at(60),
  phase: 'waiting',
  ...change,
})
const plan = (candidates: readonly Candidate[], bots: readonly Existing[], now = NOW) => planSteps(wantedBots(candidates), bots, now)
const kinds = (steps: readonly Step[]) => steps.map(({ kind }) => kind)

describe('wantedBots', () => {
  test.each([
    ['wants a bot for an auto-scheduled event', {}, 1],
    ['wants no bot without auto-scheduling', { auto: false }, 0],
    ['wants a bot on request without auto-scheduling', { auto: false, request: 'bot', requestedAt: at(-1) }, 1],
    ['wants no bot after the user removed it', { request: 'none', requestedAt: at(-1) }, 0],
    ['wants no bot for a declined event', { attended: false, request: 'bot', requestedAt: at(-1) }, 0],
    ['wants no bot without a link', { meetingKey: null }, 0],
  ] satisfies [string, Partial<Candidate>, number][])('%s', (_, change, count) => {
    expect(wantedBots([candidate(change)])).toHaveLength(count)
  })

  test('wants one bot for all copies, at the time of the newest copy', () => {
    const copies = [candidate(), candidate({ eventId: 'evt_2', start: at(120), end: at(150), meetingKey: 'zoom:2', changedAt: at(-1) })]
    expect(wantedBots(copies)).toMatchObject([{ eventId: 'evt_1', linkEventId: 'evt_2', meetingKey: 'zoom:2', start: at(120) }])
  })

  test('wants one bot for two events in one slot, by the newest choice of any copy', () => {
    expect(wantedBots([candidate(), candidate({ eventId: 'evt_2', occurrenceKey: 'other' })])).toMatchObject([
      { occurrenceKeys: ['other', 'uid'] },
    ])
    const words = [
      candidate({ request: 'none', requestedAt: at(-2) }),
      candidate({ eventId: 'evt_2', request: 'bot', requestedAt: at(-1), auto: false }),
    ]
    expect(wantedBots(words)).toMatchObject([{ eventId: 'evt_2', asked: true }])
  })
})

describe('planSteps', () => {
  test('returns no step when all bots match', () => {
    expect(plan([candidate()], [existing()])).toEqual([])
    expect(plan([], [])).toEqual([])
  })

  test('creates, cancels, moves and relinks', () => {
    expect(kinds(plan([candidate()], []))).toEqual(['create'])
    expect(kinds(plan([], [existing()]))).toEqual(['cancel'])
    expect(plan([candidate({ start: at(70) })], [existing()])).toMatchObject([{ kind: 'change', moves: true, relinks: false }])
    expect(plan([candidate({ meetingKey: 'zoom:2' })], [existing()])).toMatchObject([{ kind: 'change', moves: false, relinks: true }])
  })

  test('keeps the bots of two events that swap their slots', () => {
    const candidates = [candidate({ start: at(120), end: at(150) }), candidate({ eventId: 'evt_2', occurrenceKey: 'other' })]
    const bots = [existing(), existing({ scheduleId: 'sch_2', botId: 'bot_2', occurrenceKey: 'other', start: at(120) })]
    expect(plan(candidates, bots)).toMatchObject([
      { kind: 'change', existing: { botId: 'bot_2' }, wanted: { start: at(60) } },
      { kind: 'change', existing: { botId: 'bot_1' }, wanted: { start: at(120) } },
    ])
  })

  test.each([
    ['out', 'in the same meeting soon', at(20), ['change']],
    ['out', 'put off for long', at(600), ['release', 'create']],
    ['over', 'put into the past', at(-20), ['change']],
    ['over', 'put off', at(600), ['release', 'create']],
    ['called_off', 'put off', at(600), ['change']],
  ] satisfies [Phase, string, Date, string[]][])('plans for a bot that is %s and an event %s', (phase, _, start, steps) => {
    const end = new Date(start.getTime() + 30 * 60_000)
    const planned = plan([candidate({ start, end })], [existing({ phase, start: at(-5) })])
    expect(kinds(planned)).toEqual(steps)
    // The slot is updated, but the bot is not moved.
    for (const step of planned) if (step.kind === 'change') expect([step.moves, step.relinks]).toEqual([false, false])
    expect(kinds(plan([], [existing({ phase, start: at(-5) })]))).toEqual([])
  })

  test('creates no bot for an event that began long ago, unless requested, and none for one that is over', () => {
    const began = { start: at(-20), end: at(10) }
    expect(plan([candidate(began)], [])).toEqual([])
    expect(kinds(plan([candidate({ ...began, request: 'bot', requestedAt: at(-1) })], []))).toEqual(['create'])
    expect(plan([candidate({ start: at(-20), end: at(-1), request: 'bot', requestedAt: at(-1) })], [])).toEqual([])
    expect(kinds(plan([candidate(began)], [existing()]))).toEqual(['cancel'])
    // A bot that is late because no seat was free keeps waiting.
    expect(plan([candidate(began)], [existing({ start: at(-20) })])).toEqual([])
  })
})

const phases = fc.constantFrom<Phase>('waiting', 'waiting', 'waiting', 'out', 'over', 'called_off')
const keys = fc.constantFrom('a', 'b|1', 'b|2', 'c')
const meetings = fc.constantFrom('zoom:1', 'zoom:2')
const starts = fc.constantFrom(at(30), at(60), at(90))
const rows = fc.array(
  fc.record({
    key: keys,
    meeting: fc.option(meetings, { freq: 6 }),
    start: starts,
    auto: fc.boolean(),
    attended: fc.boolean(),
    age: fc.nat(9),
  }),
  { maxLength: 8 },
)
const bots = fc
  .uniqueArray(fc.record({ key: keys, meeting: meetings, start: starts, phase: phases }), { maxLength: 5, selector: ({ key }) => key })
  .map((them) => them.filter((it, index) => them.findIndex((other) => other.meeting === it.meeting && other.start === it.start) === index))

/** The bots after the plan has run. Slots are released before they are taken. */
function carriedOut(before: readonly Existing[], steps: readonly Step[]): Existing[] {
  const touched = new Set(steps.flatMap((step) => (step.kind === 'create' ? [] : [step.existing])))
  const made = steps.flatMap((step, index) => {
    if (step.kind === 'cancel' || step.kind === 'release') return []
    const { wanted } = step
    const kept =
      step.kind === 'change' && wanted.occurrenceKeys.includes(step.existing.occurrenceKey)
        ? step.existing.occurrenceKey
        : wanted.occurrenceKeys[0]
    const base = step.kind === 'change' ? step.existing : existing({ scheduleId: `new_${index}`, phase: 'waiting' })
    return [{ ...base, occurrenceKey: kept ?? '', meetingKey: wanted.meetingKey, start: wanted.start }]
  })
  return [...before.filter((it) => !touched.has(it)), ...made]
}

test('keeps both unique indexes, leaves exactly the wanted bots waiting, and is idempotent', () => {
  fc.assert(
    fc.property(rows, bots, (given, had) => {
      const candidates = given.map(({ key, meeting, start, auto, attended, age }, index) =>
        candidate({
          eventId: `evt_${index}`,
          occurrenceKey: key,
          meetingKey: meeting,
          start,
          end: at(200),
          auto,
          attended,
          changedAt: at(-age),
        }),
      )
      const before = had.map(({ key, meeting, start, phase }, index) =>
        existing({ scheduleId: `sch_${index}`, botId: `bot_${index}`, occurrenceKey: key, meetingKey: meeting, start, phase }),
      )
      const wanted = wantedBots(candidates)
      const after = carriedOut(before, planSteps(wanted, before, NOW))

      expect(new Set(after.map(slotKey)).size).toBe(after.length)
      expect(new Set(after.map(({ occurrenceKey }) => occurrenceKey)).size).toBe(after.length)
      const waiting = after.filter(({ phase }) => phase === 'waiting')
      for (const it of waiting) expect(wanted.map(slotKey)).toContain(slotKey(it))
      // An event without a waiting bot is served by a started one, or its bot was called off.
      for (const bot of wanted) {
        const served = after.some(
          (it) => slotKey(it) === slotKey(bot) || (it.phase !== 'waiting' && bot.occurrenceKeys.includes(it.occurrenceKey)),
        )
        expect(served).toBe(true)
      }
      expect(planSteps(wanted, after, NOW)).toEqual([])
    }),
    { seed: 20_261_115, numRuns: 5_000 },
  )
})
