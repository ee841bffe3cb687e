// Google Meet turns a browser away before the bot has asked to join: the bot tries again in a fresh context, then in fresh browsers.
import { expect, onTestFinished, test } from 'vitest'
import { type Meeting, type Scenario, startMeet } from '../../../sims/google-meet/meet.ts'
import { Browsers } from '../../../src/bot/drivers/browsers.ts'
import type { OpenBrowser } from '../../../src/bot/drivers/driver.ts'
import { driverOf } from '../../../src/bot/drivers/registry.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { workerTools } from '../../helpers/meetings/driver-tools.ts'

const LONG = 120_000
const NEVER = new AbortController().signal
const REFUSED = "Google Meet does not let this client join: “You can't join this video call / Return to home screen”"

const meet = openForFile(startMeet)
let meetings = 0

/** Another bot is in the same browser. `opened`: the browsers of the bot, in order. */
async function knockAt(scenario: Partial<Scenario>, waitingRoomSeconds = LEAVE_DEFAULTS.waitingRoomSeconds) {
  meetings += 1
  const meeting: Meeting = meet.meeting(`ref-used-${String.fromCharCode(96 + meetings)}bc`, scenario)
  const silent = { log: () => undefined, onDied: () => undefined }
  const browsers = new Browsers<string>({ mode: 'headless', executable: undefined, flags: meet.flags, ...silent })
  onTestFinished(() => browsers.close())
  const first = await browsers.take('headless', 'the bot')
  await browsers.take('headless', 'another bot')
  const neighbour = await first.browser.newPage()
  const opened: OpenBrowser[] = [first]
  const refusals: string[] = []
  const driver = await driverOf('google_meet').create({
    ...workerTools(),
    ...first,
    async freshBrowser() {
      const fresh = await browsers.replace('headless', 'the bot')
      opened.push(fresh)
      return fresh
    },
    async onRefused(message) {
      refusals.push(message)
      expect(await driver.page.text(), 'the evidence is that of the refused page').toMatch(/can't join|problem connecting/)
    },
    spec: {
      name: 'Emissary',
      meeting: { kind: 'link', platform: 'google_meet', meetingId: meeting.code, url: meeting.url, joinable: true, reason: null },
      leave: { ...LEAVE_DEFAULTS, waitingRoomSeconds },
    } as Partial<BotSpec> as BotSpec,
    scripts: [],
  })
  onTestFinished(() => driver.leave('at once'))
  const outcome = await driver.knock(NEVER)
  expect(await neighbour.evaluate('1'), 'the other bot still has its page').toBe(1)
  return { meeting, driver, outcome, opened, refusals }
}

test('joins from a fresh context of the same browser after one refusal', { timeout: LONG }, async () => {
  const { meeting, driver, outcome, opened, refusals } = await knockAt({ turnsAway: 1 })
  expect(outcome).toEqual({ kind: 'asked' })
  expect(opened).toHaveLength(1)
  expect(refusals).toEqual([`${REFUSED}. The bot tries again in a fresh browser context`])
  expect(meeting.browsers()).toBe(2)
  expect(meeting.knocks()).toHaveLength(1)
  meeting.admit()
  expect(await driver.enter(AbortSignal.timeout(20_000))).toEqual({ kind: 'admitted' })
  expect(driver.page.died).toBe(false)
})

test('joins from a fresh browser after two refusals', { timeout: LONG }, async () => {
  const { meeting, driver, outcome, opened, refusals } = await knockAt({ turnsAway: 2 })
  expect(outcome).toEqual({ kind: 'asked' })
  expect(refusals).toHaveLength(2)
  expect(opened).toHaveLength(2)
  expect(opened[1]?.browser.contexts(), 'the bot is in the second browser').toHaveLength(1)
  expect(opened[0]?.browser.contexts(), 'and no longer in the first').toHaveLength(1)
  expect(meeting.knocks()).toHaveLength(1)
  await opened[1]?.browser.close()
  expect(driver.page.died, 'it is lost with its own browser').toBe(true)
})

test('tries five times, and gives up with the reason of the last refusal', { timeout: LONG }, async () => {
  const { meeting, outcome, opened, refusals } = await knockAt({ landing: 'refused' })
  expect(outcome).toEqual({ kind: 'blocked', reason: 'JoinRefused', message: `${REFUSED} (try 5, in a fresh browser)` })
  expect(refusals).toHaveLength(4)
  expect(new Set(opened.map(({ browser }) => browser)).size).toBe(4)
  expect(meeting.browsers()).toBe(5)
  expect(
    opened.map(({ browser }) => browser.isConnected()),
    'only browsers with a bot are kept',
  ).toEqual([true, false, false, true])
})

test('begins no further try after the waiting time', { timeout: LONG }, async () => {
  const { meeting, outcome, refusals } = await knockAt({ landing: 'refused' }, 0)
  expect(outcome).toEqual({ kind: 'blocked', reason: 'JoinRefused', message: REFUSED })
  expect([meeting.browsers(), refusals]).toEqual([1, []])
})

test('does not try again once it has asked to join', { timeout: LONG }, async () => {
  const { meeting, outcome, refusals } = await knockAt({ knock: 'refused' })
  expect(outcome).toMatchObject({ kind: 'blocked', reason: 'JoinRefused' })
  expect(meeting.pressed.filter(({ control }) => control === 'join')).toHaveLength(1)
  expect([meeting.browsers(), refusals]).toEqual([1, []])
})

test('joins from a fresh context when Meet cannot connect the first one', { timeout: LONG }, async () => {
  const { outcome, refusals } = await knockAt({ turnsAway: 1, turnedAwayBy: 'was_problem' })
  expect(outcome).toEqual({ kind: 'asked' })
  expect(refusals).toEqual([
    expect.stringMatching(/^Google Meet says that it cannot connect: .* The bot tries again in a fresh browser context$/),
  ])
})
