// How the SDK driver joins, waits, and fails to join. One browser for all meetings.
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Differences, Meeting } from '../../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { type DriverOptions, ZoomBench } from '../../helpers/meetings/zoom.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 60_000 }
const SOON = 20_000

const bench = openForFile(() => ZoomBench.open(), 60_000)

async function createBot(
  differences: Differences = {},
  options: DriverOptions = {},
  link?: string,
): Promise<{ meeting: Meeting; driver: MeetingDriver }> {
  const meeting = bench.meeting(differences)
  const driver = await bench.driver(link ?? meeting.url, options)
  onTestFinished(() => driver.leave('at once'))
  return { meeting, driver }
}

const soon = () => AbortSignal.timeout(40_000)

/** A clock that a test moves: a page that loads slowly must not look stalled. */
class Clock {
  atMs = Date.now()
  now = (): number => this.atMs
}

test('joins at once and reports that the host must allow the recording', LONG, async () => {
  const { meeting, driver } = await createBot()
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toEqual({ kind: 'admitted', asksToRecord: true })
  expect(meeting.inside().map(({ name }) => name)).toEqual(['Note taker'])
})

test('waits in the waiting room until the host admits or removes it', LONG, async () => {
  const { meeting, driver } = await createBot({ knock: 'waiting_room' })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  const entered = driver.enter(soon())
  await until('it waits', () => meeting.waiting().length > 0, SOON)
  meeting.admit()
  expect(await entered).toEqual({ kind: 'admitted', asksToRecord: true })
  const other = await createBot({ knock: 'waiting_room' })
  await other.driver.knock(soon())
  const refused = other.driver.enter(soon())
  await until('it waits', () => other.meeting.waiting().length > 0, SOON)
  other.meeting.remove()
  expect(await refused).toEqual({ kind: 'refused' })
})

test('waits for the host to start the meeting and reports a meeting that did not start', LONG, async () => {
  const { meeting, driver } = await createBot({ knock: 'not_started' })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(AbortSignal.abort())).toEqual({ kind: 'never_admitted' })
  expect(await driver.enter(AbortSignal.timeout(1_000))).toEqual({ kind: 'never_admitted', isEarly: true })
  meeting.start()
  expect(await driver.enter(soon())).toEqual({ kind: 'admitted', asksToRecord: true })
})

test('accepts the disclaimer on the way in and the consent to being recorded in the call', LONG, async () => {
  const { meeting, driver } = await createBot({ web: { disclaimer: true, recordingConsent: true } })
  expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
  expect(await driver.enter(soon())).toEqual({ kind: 'admitted', asksToRecord: true })
  await until('the consent is given', () => meeting.pressed.some(({ control }) => control === 'recording-consent'), SOON)
  expect(meeting.pressed.map(({ control }) => control)).not.toContain('recording-leave')
  expect(meeting.inside()).toHaveLength(1)
})

describe('a join that Zoom rejects', () => {
  test.each([
    [4004, 'MeetingEnded', 'The meeting has ended'],
    [4005, 'MeetingRestricted', 'The meeting is full'],
    [4006, 'MeetingRestricted', 'The meeting is locked'],
    [3001, 'MeetingNotFound', 'The meeting does not exist'],
    [3082, 'SignInRequired', 'Pass zak_url'],
    [3634, 'CaptchaRequired', 'asks for a captcha'],
    [3712, 'LoginFailed', 'Features > Embed'],
    [4011, 'JoinRefused', 'zak_url or obf_url'],
    [9999, 'JoinRefused', 'SDK code 9999'],
  ])('fails with code %i as %s', LONG, async (code, reason, words) => {
    const { driver } = await createBot({ knock: code })
    const outcome = await driver.knock(soon())
    expect(outcome).toMatchObject({ reason, message: expect.stringContaining(words) })
    expect(outcome).toMatchObject({ message: expect.stringMatching(new RegExp(`^Zoom rejected the join with SDK code ${code}: `)) })
  })

  test.each(['general_callback', 'console_only'] as const)('has the reason of the console (%s)', LONG, async (joinErrors) => {
    const { driver } = await createBot({ knock: 3082, joinErrors })
    expect(await driver.knock(soon())).toMatchObject({ reason: 'SignInRequired', message: expect.stringContaining('SDK code 3082') })
    const other = await createBot({ knock: 4005, joinErrors })
    expect(await other.driver.knock(soon())).toMatchObject({
      reason: 'MeetingRestricted',
      message: expect.stringContaining('SDK code 4005'),
    })
  })

  test('counts as refused by the host if the host removed the bot before', LONG, async () => {
    const { driver } = await createBot({ knock: 3009 })
    expect(await driver.knock(soon())).toEqual({ kind: 'asked' })
    expect(await driver.enter(soon())).toEqual({ kind: 'refused' })
  })

  // The SDK calls nothing back for these: only its screen shows them.
  test.each([
    ['bots', 'JoinRefused', /automated/],
    ['captcha', 'CaptchaRequired', /captcha/],
    ['image_captcha', 'CaptchaRequired', /captcha/],
    ['recaptcha_failed', 'CaptchaRequired', /captcha/],
    ['sign_in', 'SignInRequired', /zak_url or obf_url/],
  ] as const)('is blocked by the screen %s without a callback as %s', LONG, async (wall, reason, message) => {
    const { driver } = await createBot({ web: { wall } })
    expect(await driver.knock(soon())).toMatchObject({ kind: 'blocked', reason, message: expect.stringMatching(message) })
  })

  // The SDK calls nothing back for this code either.
  test('is recognised on the screen as a meeting for registrants', LONG, async () => {
    const { driver } = await createBot({ knock: 3099 })
    expect(await driver.knock(soon())).toMatchObject({
      kind: 'blocked',
      reason: 'RegistrationRequired',
      message: expect.stringMatching(/tk/),
    })
  })

  test('is recognised on the screen as a wrong passcode', LONG, async () => {
    const meeting = bench.meeting()
    const { driver } = await createBot({}, {}, meeting.url.replace(/pwd=.*/, 'pwd=wrong'))
    expect(await driver.knock(soon())).toMatchObject({
      kind: 'blocked',
      reason: 'InvalidMeetingLink',
      message: expect.stringMatching(/passcode is wrong/),
    })
  })
})

test('fails before any request when the passcode of the link is longer than Zoom accepts', LONG, async () => {
  const before = bench.zoom.asked.length
  const { driver } = await createBot({}, {}, `https://zoom.us/j/81234567890?pwd=${'a'.repeat(33)}`)
  const message =
    'Invalid meeting link format: the passcode (pwd) has 33 characters, but Zoom accepts at most 32. Copy the link from the invitation again'
  expect(await driver.knock(soon())).toEqual({ kind: 'failed', reason: 'InvalidMeetingLink', message })
  expect(bench.zoom.asked).toHaveLength(before)
})

describe('a client that stalls', () => {
  const NOT_CONNECTED = {
    kind: 'failed',
    reason: 'ConnectionLost',
    message: expect.stringMatching(/^Zoom did not connect within 60 seconds, often because of a wrong passcode/),
  }

  /** Moves the clock until the page is opened again, or the join has failed. A look that just began a new screen needs another move. */
  async function wait(clock: Clock, isOver: () => boolean): Promise<void> {
    await until(
      'the driver acts',
      async () => {
        clock.atMs += 13_000
        await until('it has acted', isOver, 1_000).catch(() => undefined)
        return isOver()
      },
      SOON,
    )
  }

  test('fails when Zoom has not answered for 60 seconds', LONG, async () => {
    const startedAt = Date.now()
    const { driver } = await createBot({ knock: 'silent' }, { now: () => startedAt + 20 * (Date.now() - startedAt) })
    expect(await driver.knock(soon())).toMatchObject(NOT_CONNECTED)
  })

  test.each([
    ['frozen', 1],
    ['white', 2],
  ] as const)('is reloaded while it stays %s, %i times at most', LONG, async (stall, reloads) => {
    const clock = new Clock()
    const { meeting, driver } = await createBot({ web: { stall, stalls: 99 } }, clock)
    const opened = countOpenings()
    let outcome: unknown
    const asked = driver.knock(soon()).then((it) => {
      outcome = it
    })
    for (let reload = 0; reload < reloads; reload++) {
      await until('the client has asked Zoom', () => meeting.infos.length > reload, SOON)
      const before = opened()
      await wait(clock, () => opened() > before)
    }
    await until('the client has asked Zoom', () => meeting.infos.length > reloads, SOON)
    await wait(clock, () => outcome !== undefined)
    await asked
    expect(outcome).toMatchObject(NOT_CONNECTED)
    expect([opened(), meeting.infos.length]).toEqual([1 + reloads, 1 + reloads])
  })

  test.each(['frozen', 'white'] as const)('joins after a reload when it was %s once', LONG, async (stall) => {
    const clock = new Clock()
    const { meeting, driver } = await createBot({ web: { stall, stalls: 1 } }, clock)
    const opened = countOpenings()
    const asked = driver.knock(soon())
    await until('the client has asked Zoom', () => meeting.infos.length > 0, SOON)
    await wait(clock, () => opened() > 1)
    expect(await asked).toEqual({ kind: 'asked' })
    expect(await driver.enter(soon())).toMatchObject({ kind: 'admitted' })
    expect(meeting.infos).toHaveLength(2)
  })
})

/** How often the page of the latest bot is opened from now on. */
function countOpenings(): () => number {
  let count = 0
  const page = bench.browser.contexts().at(-1)?.pages()[0]
  page?.on('request', (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) count++
  })
  return () => count
}
