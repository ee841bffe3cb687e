// Every door of Microsoft Teams that does not open, with the driver alone: what stands in the way, and what the bot's caller is told of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/teams/teams.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { EntryOutcome } from '../../../src/domain/meeting.ts'
import { TeamsBench } from '../../helpers/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 150_000

let bench: TeamsBench
beforeAll(async () => {
  bench = await TeamsBench.open()
}, LONG)
afterAll(() => bench?.close())

/** The bot asks to join, and leaves when the work is done. */
async function visit<Result>(link: string, work: (driver: MeetingDriver) => Promise<Result>): Promise<Result> {
  const driver = await bench.driver(link)
  return work(driver).finally(() => driver.leave('at once'))
}

const knock = (link: string) => visit(link, (driver) => driver.knock(AbortSignal.timeout(LONG)))

/** How the wait ends of a bot that has asked to join. */
function wait({ url }: Meeting, act: () => unknown = () => undefined, withinMs = LONG): Promise<EntryOutcome> {
  return visit(url, async (driver) => {
    expect(await driver.knock(AbortSignal.timeout(LONG))).toEqual({ kind: 'asked' })
    const [outcome] = await Promise.all([driver.enter(AbortSignal.timeout(withinMs)), act()])
    return outcome
  })
}

const waits = (meeting: Meeting) => until('it waits', () => meeting.waiting().length > 0, 60_000)

type Barred = readonly [what: string, reason: string, words: RegExp, scenario: Partial<Scenario>]

const WALLS: readonly Barred[] = [
  ['a sign-in elsewhere', 'SignInRequired', /Microsoft account/, { landing: 'sign_in' }],
  ['a sign-in form in place', 'SignInRequired', /Microsoft account/, { landing: 'login_form' }],
  ['a sign-in elsewhere after the request', 'SignInRequired', /Microsoft account/, { knock: 'sign_in' }],
  ['a dialog that wants to know who it is', 'SignInRequired', /verify your info/, { landing: 'verify_info' }],
  ['the same dialog, personal', 'SignInRequired', /verify your info/, { landing: 'verify_info', variant: 'personal' }],
  ['the same dialog in German', 'SignInRequired', /Informationen/, { knock: 'verify_info', language: 'de' }],
  ['"sign in or use Teams on the web"', 'SignInRequired', /on the web/, { knock: 'sign_in_or_web' }],
  ['"you need to be signed in to Teams"', 'SignInRequired', /signed in to Teams/, { landing: 'signed_in_teams', frame: 'iframe' }],
  ['"a Teams (work or school) account"', 'SignInRequired', /work or school/, { knock: 'work_account', apostrophes: 'curly' }],
  ['"contact the meeting organiser"', 'SignInRequired', /contact/, { knock: 'contact_organizer', language: 'en-GB' }],
  ['"signed in to an account"', 'SignInRequired', /to an account/, { knock: 'signed_in_account', variant: 'personal' }],
  ['"sign in again"', 'SignInRequired', /sign in again/, { knock: 'sign_in_again' }],
  ['a policy of the organisation, in Dutch', 'SignInRequired', /organisatiebeleid/, { knock: 'org_policy', language: 'nl' }],
  ['a webinar that has not begun', 'MeetingRestricted', /External participants/, { knock: 'webinar' }],
  ['a captcha', 'CaptchaRequired', /real person/, { landing: 'captcha' }],
  ['a captcha in Chinese, after the request', 'CaptchaRequired', /真实的人/, { knock: 'captcha', language: 'zh' }],
  ['an encrypted meeting', 'JoinRefused', /end-to-end encrypted/, { knock: 'encrypted' }],
  ['an encrypted personal meeting', 'JoinRefused', /end-to-end encrypted/, { landing: 'encrypted', variant: 'personal' }],
  ['a meeting that has ended', 'MeetingEnded', /has ended/, { landing: 'ended' }],
  ['a wrong link, by its page', 'InvalidMeetingLink', /URL is incorrect/, { landing: 'bad_link' }],
  ['a wrong link, by HTTP 404', 'InvalidMeetingLink', /HTTP 404/, { landing: 'http_404' }],
  ['a wrong personal link, by HTTP 410', 'InvalidMeetingLink', /HTTP 410/, { landing: 'http_410', variant: 'personal' }],
  ['a server in trouble', 'ConnectionLost', /HTTP 503/, { landing: 'http_503' }],
  ['no meeting behind the number', 'MeetingNotFound', /couldn't find a meeting/, { landing: 'no_match' }],
]

describe.concurrent('at the door', () => {
  test.each(WALLS)('%s is %s', { timeout: LONG }, async (_what, reason, words, scenario) => {
    const meeting = bench.meeting(scenario)
    const kind = reason === 'ConnectionLost' ? 'failed' : 'blocked'
    expect(await knock(meeting.url)).toEqual({ kind, reason, message: expect.stringMatching(words) })
    expect(meeting.inside()).toEqual([])
  })

  test.each(['work', 'personal'] as const)('a wrong passcode of a %s meeting is InvalidMeetingLink', { timeout: LONG }, async (variant) => {
    const meeting = bench.meeting({ variant })
    const message = expect.stringMatching(/passcode/)
    // Passcodes are case-sensitive.
    const outcome = await knock(meeting.links.short.replace('aB3', 'ab3'))
    expect(outcome).toEqual({ kind: 'blocked', reason: 'InvalidMeetingLink', message })
    expect(meeting.pressed).toEqual([])
  })

  test('a meeting that nobody made is MeetingNotFound', { timeout: LONG }, async () => {
    const message = expect.stringMatching(/no such meeting/)
    const outcome = await knock('https://teams.microsoft.com/meet/2345678901234?p=abcDEF')
    expect(outcome).toEqual({ kind: 'blocked', reason: 'MeetingNotFound', message })
  })

  test('a page that hangs while it loads is opened once more, and is then ConnectionLost', { timeout: LONG }, async () => {
    const meeting = bench.meeting({ loadMs: null })
    const message = expect.stringMatching(/did not finish loading/)
    expect(await knock(meeting.url)).toEqual({ kind: 'failed', reason: 'ConnectionLost', message })
    expect(meeting.asked.filter(({ path }) => path.startsWith('/l/meetup-join/'))).toHaveLength(2)
  })
})

type Turned = readonly [what: string, outcome: object, scenario: Partial<Scenario>, act: (meeting: Meeting) => void]

const REFUSED = { kind: 'refused' }
const over = (reason: string) => ({ kind: 'over', reason, message: expect.any(String) })

const TURNED_AWAY: readonly Turned[] = [
  ['denied', REFUSED, {}, (it) => it.refuse()],
  ['denied by a personal host', REFUSED, { variant: 'personal', denied: 'declined' }, (it) => it.refuse()],
  ['denied in German', REFUSED, { language: 'de', endBody: 'plain' }, (it) => it.refuse()],
  ['denied in a frame, in Dutch', REFUSED, { language: 'nl', frame: 'iframe', denied: 'declined' }, (it) => it.refuse()],
  ['denied in Chinese', REFUSED, { language: 'zh', variant: 'personal' }, (it) => it.refuse()],
  ['ended', over('MeetingEnded'), { lobby: 'soon' }, (it) => it.end()],
  ['ended in other words', over('MeetingEnded'), { ended: 'call_ended', variant: 'personal' }, (it) => it.end()],
  ['anonymous joins switched off', over('SignInRequired'), {}, refuseAnonymous],
]

/** Also the next time. */
function refuseAnonymous(meeting: Meeting): void {
  meeting.answerKnocks('signed_in_account')
  meeting.refuseAnonymous()
}

const NOT_STARTED: readonly Partial<Scenario>[] = [
  { notStarted: 'when_starts' },
  { notStarted: 'organizer_knows', language: 'en-GB', variant: 'personal' },
  { notStarted: 'hi_when_starts', language: 'de' },
  { notStarted: 'when_starts', language: 'nl', variant: 'personal' },
  { notStarted: 'organizer_knows', language: 'zh' },
]

describe.concurrent('in the lobby', () => {
  test.each(TURNED_AWAY)('%s', { timeout: LONG }, async (_what, outcome, scenario, act) => {
    const meeting = bench.meeting(scenario)
    expect(await wait(meeting, () => waits(meeting).then(() => act(meeting)))).toEqual(outcome)
  })

  test.each(['work', 'personal'] as const)('nobody answers in a %s meeting: never admitted', { timeout: LONG }, async (variant) => {
    expect(await wait(bench.meeting({ variant }), undefined, 3_000)).toEqual({ kind: 'never_admitted' })
  })

  test('a meeting that does not start: never admitted, for that reason', { timeout: LONG }, async () => {
    const meeting = bench.meeting({ knock: 'not_started', notStarted: 'hi_when_starts' })
    expect(await wait(meeting, undefined, 3_000)).toEqual({ kind: 'never_admitted', isEarly: true })
  })

  test.each(NOT_STARTED)('a meeting that starts later, %o', { timeout: LONG }, async (scenario) => {
    const meeting = bench.meeting({ knock: 'not_started', ...scenario })
    const open = () => {
      meeting.start()
      meeting.admit()
    }
    expect(await wait(meeting, open)).toEqual({ kind: 'admitted' })
  })

  /** The host opens the second time. */
  async function admitAfter(meeting: Meeting, accident: () => void): Promise<void> {
    await waits(meeting)
    accident()
    await waits(meeting)
    meeting.admit()
  }

  test.each(['work', 'personal'] as const)('a %s lobby that times out is asked again', { timeout: LONG }, async (variant) => {
    const meeting = bench.meeting({ variant })
    expect(await wait(meeting, () => admitAfter(meeting, () => meeting.timeOutLobby()))).toEqual({ kind: 'admitted' })
  })

  test('a lobby whose connection fails is asked again by the same button', { timeout: LONG }, async () => {
    const meeting = bench.meeting()
    expect(await wait(meeting, () => admitAfter(meeting, () => meeting.failLobby()))).toEqual({ kind: 'admitted' })
    expect(meeting.pressed.map(({ control }) => control)).toEqual(['join', 'join'])
  })

  test('a tenant that blocks detected bots refuses', { timeout: LONG }, async () => {
    expect(await wait(bench.meeting({ suspectsBots: true, externalBotAccess: 'block' }))).toEqual(REFUSED)
  })
})
