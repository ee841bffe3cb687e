// Every door of Microsoft Teams that opens, with the driver alone.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { TeamsBench } from '../../helpers/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 90_000

let bench: TeamsBench
beforeAll(async () => {
  bench = await TeamsBench.open()
}, LONG)
afterAll(() => bench?.close())

type Door = readonly [what: string, scenario: Partial<Scenario>]

const DOORS: readonly Door[] = [['as Teams mostly is', {}]]

test.each(DOORS)('lets the bot in: %s', { timeout: LONG }, async (_what, scenario) => {
  const meeting = bench.meeting(scenario)
  const driver = await bench.driver(meeting.url)
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(AbortSignal.timeout(LONG))).toEqual({ kind: 'asked' })
  const admitted = driver.enter(AbortSignal.timeout(LONG))
  await until('it waits', () => meeting.waiting().length > 0, 20_000)
  expect(meeting.waiting()).toMatchObject([{ name: 'Note taker' }])
  meeting.admit()
  expect(await admitted).toEqual({ kind: 'admitted' })
})
