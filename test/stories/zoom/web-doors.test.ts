// Every state before a meeting in Zoom's web client, with the driver alone in one browser.
import { expect, test } from 'vitest'
import type { Differences, Meeting } from '../../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { zoomWeb } from '../../../src/bot/drivers/zoom-web/client.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { ZoomWebBench } from '../../helpers/meetings/zoom-web.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000
const SOON = 30_000

const bench = openForFile(() => ZoomWebBench.open(), LONG)

type Options = Parameters<ZoomWebBench['driver']>[1]

async function visit(link: string, work: (driver: MeetingDriver) => Promise<void>, options: Options = {}): Promise<void> {
  const driver = await bench.driver(link, options)
  await work(driver).finally(() => driver.leave('at once'))
}

const inTime = () => AbortSignal.timeout(LONG)

async function expectAdmitted(meeting: Meeting, driver: MeetingDriver): Promise<void> {
  expect(await driver.knock(inTime())).toEqual({ kind: 'asked' })
  const entered = driver.enter(inTime())
  if (meeting.scenario.knock === 'waiting_room') {
    await until('it waits', () => meeting.waiting().length > 0, SOON)
    expect(meeting.waiting()).toMatchObject([{ name: 'Note taker' }])
    meeting.admit()
  }
  expect(await entered).toEqual({ kind: 'admitted' })
  expect(meeting.inside()).toMatchObject([{ name: 'Note taker' }])
}

/** The outcome of the join: of the knock, or of the wait after it. */
async function outcomeOf(driver: MeetingDriver) {
  const knocked = await driver.knock(inTime())
  return knocked.kind === 'asked' ? driver.enter(inTime()) : knocked
}

const OPEN: readonly (readonly [what: string, differences: Differences])[] = [
  ['a preview', {}],
  ['a waiting room', { knock: 'waiting_room' }],
  ['a frame', { knock: 'waiting_room', web: { frame: 'pwa' } }],
  ['cookies, terms and two permission cards', { web: { cookies: true, terms: true, permissionCards: 2 } }],
  ['a disclaimer and a second consent', { web: { disclaimer: true, recordingConsent: true, popup: true } }],
  ['a button that joins the audio', { joinAudio: 'button' }],
  ['the classic client', { web: { client: 'classic' } }],
  ['a slow join with an empty player', { web: { joiningMs: 3_000 } }],
  ['texts in German', { knock: 'waiting_room', lobby: 'put_on_hold', joinAudio: 'button', web: { language: 'de' } }],
  ['texts in Dutch', { knock: 'waiting_room', lobby: 'about_to_join', joinAudio: 'button', web: { language: 'nl', terms: true } }],
  ['texts in Chinese', { knock: 'waiting_room', lobby: 'host_knows', joinAudio: 'button', web: { language: 'zh', disclaimer: true } }],
]

test.concurrent.each(OPEN)('is admitted to a meeting with %s', { timeout: LONG }, async (_what, differences) => {
  const meeting = bench.meeting(differences)
  await visit(meeting.url, (driver) => expectAdmitted(meeting, driver))
})

test.concurrent('is admitted through the launcher, by the link to the browser', { timeout: LONG }, async () => {
  const meeting = bench.meeting({ web: { launcher: 'shown' } })
  const client = { ...zoomWeb, addressOf: () => new URL(meeting.url) }
  await visit(meeting.url, (driver) => expectAdmitted(meeting, driver), { client })
})

test.concurrent('is admitted to a meeting for registrants by the token of its link', { timeout: LONG }, async () => {
  const meeting = bench.meeting({ web: { landing: 'registration_page' } })
  await visit(`${meeting.url}&tk=abc`, (driver) => expectAdmitted(meeting, driver))
})

test.concurrent('types the passcode into a preview that asks for it', { timeout: LONG }, async () => {
  const meeting = bench.meeting()
  const client = { ...zoomWeb, addressOf: () => new URL(meeting.webUrl.replace(/&pwd=[^&]*/, '')) }
  await visit(meeting.url, (driver) => expectAdmitted(meeting, driver), { client })
})

/** A page that the driver does not know takes 60 s. Several meetings run at once, also on a slow machine. */
const AT_ONCE = 50_000

const CLOSED: readonly (readonly [reason: string, advice: string, what: string, differences: Differences])[] = [
  ['JoinRefused', 'ZOOM_WAY', 'the wall against bots after joining', { web: { wall: 'bots' } }],
  ['JoinRefused', 'ZOOM_WAY', 'the wall against bots at once', { web: { landing: 'bots' } }],
  ['CaptchaRequired', 'Try again', 'a captcha', { web: { wall: 'captcha' } }],
  ['CaptchaRequired', 'characters of a picture', 'a captcha with a picture', { web: { wall: 'image_captcha' } }],
  ['CaptchaRequired', 'characters of a picture', 'a captcha in a shadow root', { web: { wall: 'image_captcha', wallIn: 'shadow_root' } }],
  ['CaptchaRequired', 'characters of a picture', 'a captcha of another site', { web: { wall: 'image_captcha', wallIn: 'other_site' } }],
  ['JoinRefused', 'ZOOM_WAY', 'a wall in a shadow root that a reload removes', { web: { wall: 'bots', walls: 1, wallIn: 'shadow_root' } }],
  ['JoinRefused', 'ZOOM_WAY', 'a wall of another site that a reload removes', { web: { wall: 'bots', walls: 1, wallIn: 'other_site' } }],
  ['RegistrationRequired', 'link of the confirmation', 'a page for registrants', { web: { landing: 'registration_page' } }],
  ['RegistrationRequired', 'link of the confirmation', 'a form for registrants', { web: { landing: 'registration_form' } }],
  ['CaptchaRequired', 'Try again', 'a captcha that failed by itself', { web: { wall: 'recaptcha_failed' } }],
  ['SignInRequired', 'zak_url', 'a demand to sign in', { web: { landing: 'sign_in' } }],
  ['MeetingRestricted', 'unlock', 'a locked meeting', { knock: 4006 }],
  ['MeetingRestricted', 'make room', 'a full meeting', { knock: 4005 }],
  ['MeetingEnded', 'has ended', 'a meeting that is over', { knock: 4004 }],
]

test.concurrent.each(CLOSED)('ends as %s with the advice "%s" at %s', { timeout: LONG }, async (reason, advice, _what, differences) => {
  await visit(bench.meeting(differences).url, async (driver) => {
    const startedAt = Date.now()
    expect(await outcomeOf(driver)).toMatchObject({ reason, message: expect.stringContaining(advice) })
    expect(Date.now() - startedAt).toBeLessThan(AT_ONCE)
  })
})

test.concurrent.each([
  ['a wrong passcode', (url: string) => url.replace(/pwd=.*/, 'pwd=wrong'), 'The passcode is wrong'],
  ['a link without the passcode', (url: string) => url.replace(/\?pwd=.*/, ''), 'the link has none'],
])('ends as InvalidMeetingLink at %s', { timeout: LONG }, async (_what, change, message) => {
  await visit(change(bench.meeting().url), async (driver) => {
    const expected = { kind: 'blocked', reason: 'InvalidMeetingLink', message: expect.stringContaining(message) }
    expect(await driver.knock(inTime())).toMatchObject(expected)
  })
})

const LOBBIES = ['host_knows', 'please_wait', 'admit_ready', 'put_on_hold', 'about_to_join', 'host_lost'] as const
const LANGUAGES = ['de', 'nl', 'zh'] as const

test.concurrent.each(
  LOBBIES.flatMap((lobby, at) => (['en', LANGUAGES[at % 3] ?? 'de'] as const).map((language) => [lobby, language] as const)),
)('stays in the waiting room that says %s in %s until it is admitted', { timeout: LONG }, async (lobby, language) => {
  const meeting = bench.meeting({ knock: 'waiting_room', lobby, web: { language } })
  await visit(meeting.url, async (driver) => {
    expect(await driver.knock(inTime())).toEqual({ kind: 'asked' })
    await until('it waits', () => meeting.waiting().length > 0, SOON)
    expect(await driver.enter(AbortSignal.timeout(2_500))).toEqual({ kind: 'never_admitted' })
    meeting.admit()
    expect(await driver.enter(inTime())).toEqual({ kind: 'admitted' })
  })
})

test.concurrent('waits for an absent host, and is admitted when the meeting starts', { timeout: LONG }, async () => {
  const meeting = bench.meeting({ knock: 'not_started' })
  await visit(meeting.url, async (driver) => {
    expect(await driver.knock(inTime())).toEqual({ kind: 'asked' })
    expect(await driver.enter(AbortSignal.timeout(1_000))).toEqual({ kind: 'never_admitted', isEarly: true })
    meeting.start('inside')
    expect(await driver.enter(inTime())).toEqual({ kind: 'admitted' })
  })
})

test.concurrent('is refused by a host who removes it from the waiting room', { timeout: LONG }, async () => {
  const meeting = bench.meeting({ knock: 'waiting_room' })
  await visit(meeting.url, async (driver) => {
    expect(await driver.knock(inTime())).toEqual({ kind: 'asked' })
    await until('it waits', () => meeting.waiting().length > 0, SOON)
    meeting.remove()
    expect(await driver.enter(inTime())).toEqual({ kind: 'refused' })
  })
})

test.concurrent('is refused by a meeting from which the host removed it before', { timeout: LONG }, async () => {
  await visit(bench.meeting({ knock: 3009 }).url, async (driver) => {
    expect(await outcomeOf(driver)).toEqual({ kind: 'refused' })
  })
})

/** How often the bot reads the clock during two looks at its page. */
const TWO_LOOKS = 8

/** A clock that a test moves forward, so that no bot waits for long. */
function clock() {
  let [ahead, reads] = [0, 0]
  const now = (): number => {
    reads++
    return Date.now() + ahead
  }
  /** Settles when the bot has seen this text on its page. On a slow machine the page may have been opened again meanwhile. */
  const seen = async (driver: MeetingDriver, text: RegExp): Promise<void> => {
    let before = Number.POSITIVE_INFINITY
    const isSeen = async () => {
      if (text.test((await driver.page.text()) ?? '?')) before = Math.min(before, reads)
      return reads >= before + TWO_LOOKS
    }
    await until(`the bot has seen ${text}`, isSeen, SOON).catch(() => undefined)
  }
  const forward = (seconds: number): void => {
    ahead += seconds * 1000
  }
  return { now, seen, forward }
}

const [JOINING, NOTHING, INVALID] = [/^Joining Meeting/, /^$/, /link is invalid/]

test.concurrent.each([
  ['frozen', JOINING, 26],
  ['white', NOTHING, 13],
] as const)('opens a page again that stays %s while joining', { timeout: LONG }, async (stall, text, seconds) => {
  const { now, seen, forward } = clock()
  const meeting = bench.meeting({ web: { stall } })
  const work = async (driver: MeetingDriver) => {
    const admitted = expectAdmitted(meeting, driver)
    await until('it has asked', () => meeting.infos.length > 0, SOON)
    await seen(driver, text)
    forward(seconds)
    await admitted
    expect(meeting.infos.length).toBeGreaterThan(1)
  }
  await visit(meeting.url, work, { now })
})

test.concurrent('gives up on a page that stays frozen after two more tries', { timeout: LONG }, async () => {
  const { now, seen, forward } = clock()
  const meeting = bench.meeting({ web: { stall: 'frozen', stalls: 9 } })
  const work = async (driver: MeetingDriver) => {
    const outcome = driver.knock(inTime())
    for (const [tries, seconds] of [
      [1, 26],
      [2, 26],
      [3, 11],
    ] as const) {
      await until(`it has asked ${tries} times`, () => meeting.infos.length >= tries, LONG)
      await seen(driver, JOINING)
      forward(seconds)
    }
    const message = expect.stringMatching(/^Zoom did not connect within 60 seconds, often because of a wrong passcode/)
    expect(await outcome).toMatchObject({ reason: 'ConnectionLost', message })
  }
  await visit(meeting.url, work, { now })
})

test.concurrent('opens an invalid link again until the host has started the meeting', { timeout: LONG }, async () => {
  const { now, seen, forward } = clock()
  const meeting = bench.meeting({ web: { landing: 'invalid_link' } })
  const work = async (driver: MeetingDriver) => {
    const admitted = expectAdmitted(meeting, driver)
    await seen(driver, INVALID)
    meeting.setLanding('none')
    forward(16)
    await admitted
  }
  await visit(meeting.url, work, { now })
})

test.concurrent('ends as MeetingNotFound where a link stays invalid for the waiting room time', { timeout: LONG }, async () => {
  const { now, seen, forward } = clock()
  const work = async (driver: MeetingDriver) => {
    const outcome = driver.knock(inTime())
    await seen(driver, INVALID)
    forward(601)
    const message = 'The meeting does not exist, or its host did not start it within 600 s'
    expect(await outcome).toMatchObject({ reason: 'MeetingNotFound', message })
  }
  await visit(bench.meeting({ web: { landing: 'invalid_link' } }).url, work, { now })
})
