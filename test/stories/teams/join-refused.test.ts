// The Teams driver at meetings that do not let it in: the outcome and its reason.
import { describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/teams/teams.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { EntryOutcome } from '../../../src/domain/meeting.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsBench } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 150_000

const bench = openForFile(() => TeamsBench.open(), LONG)

/** Knocks, and leaves when the outcome is known. */
async function visit<Result>(link: string, work: (driver: MeetingDriver) => Promise<Result>): Promise<Result> {
  const driver = await bench.driver(link)
  return work(driver).finally(() => driver.leave('at once'))
}

const knock = (link: string) => visit(link, (driver) => driver.knock(AbortSignal.timeout(LONG)))

/** Knocks, and returns how the wait in the lobby ends. */
function wait({ url }: Meeting, act: () => unknown = () => undefined, withinMs = LONG): Promise<EntryOutcome> {
  return visit(url, async (driver) => {
    expect(await driver.knock(AbortSignal.timeout(LONG))).toEqual({ kind: 'asked' })
    const [outcome] = await Promise.all([driver.enter(AbortSignal.timeout(withinMs)), act()])
    return outcome
  })
}

const waits = (meeting: Meeting) => until('it waits', () => meeting.waiting().length > 0, 60_000)

type Refusal = readonly [what: string, reason: string, text: RegExp, scenario: Partial<Scenario>]

const REFUSALS: readonly Refusal[] = [
  ['a redirect to the sign-in page', 'SignInRequired', /Microsoft account/, { landing: 'sign_in' }],
  ['a sign-in form in the page', 'SignInRequired', /Microsoft account/, { landing: 'login_form' }],
  ['a redirect to the sign-in page after the knock', 'SignInRequired', /Microsoft account/, { knock: 'sign_in' }],
  ['a dialog to verify the identity', 'SignInRequired', /verify your info/, { landing: 'verify_info' }],
  [
    'a dialog to verify the identity in a personal meeting',
    'SignInRequired',
    /verify your info/,
    { landing: 'verify_info', variant: 'personal' },
  ],
  ['a dialog to verify the identity in German', 'SignInRequired', /Informationen/, { knock: 'verify_info', language: 'de' }],
  ['"sign in or use Teams on the web"', 'SignInRequired', /on the web/, { knock: 'sign_in_or_web' }],
  ['"you need to be signed in to Teams"', 'SignInRequired', /signed in to Teams/, { landing: 'signed_in_teams', frame: 'iframe' }],
  ['"a Teams (work or school) account"', 'SignInRequired', /work or school/, { knock: 'work_account', apostrophes: 'curly' }],
  ['"contact the meeting organiser"', 'SignInRequired', /contact/, { knock: 'contact_organizer', language: 'en-GB' }],
  ['"signed in to an account"', 'SignInRequired', /to an account/, { knock: 'signed_in_account', variant: 'personal' }],
  ['"sign in again"', 'SignInRequired', /sign in again/, { knock: 'sign_in_again' }],
  ['an organisation policy in Dutch', 'SignInRequired', /organisatiebeleid/, { knock: 'org_policy', language: 'nl' }],
  ['a webinar that has not begun', 'MeetingRestricted', /External participants/, { knock: 'webinar' }],
  ['a town hall that is only a stream', 'ViewOnly', /only watch a stream/, { knock: 'town_hall' }],
  ['a captcha', 'CaptchaRequired', /real person/, { landing: 'captcha' }],
  ['a captcha in Chinese after the knock', 'CaptchaRequired', /真实的人/, { knock: 'captcha', language: 'zh' }],
  ['an encrypted meeting', 'MeetingEncrypted', /end-to-end encrypted/, { knock: 'encrypted' }],
  ['an encrypted personal meeting', 'MeetingEncrypted', /end-to-end encrypted/, { landing: 'encrypted', variant: 'personal' }],
  ['a meeting that has ended', 'MeetingEnded', /has ended/, { landing: 'ended' }],
  ['a page about a wrong link', 'InvalidMeetingLink', /URL is incorrect/, { landing: 'bad_link' }],
  ['HTTP 404', 'InvalidMeetingLink', /HTTP 404/, { landing: 'http_404' }],
  ['HTTP 410 for a personal link', 'InvalidMeetingLink', /HTTP 410/, { landing: 'http_410', variant: 'personal' }],
  ['HTTP 503', 'ConnectionLost', /HTTP 503/, { landing: 'http_503' }],
  ['a meeting number without a meeting', 'MeetingNotFound', /couldn't find a meeting/, { landing: 'no_match' }],
]

describe.concurrent('before the lobby', () => {
  test.each(REFUSALS)('reports %s as %s', { timeout: LONG }, async (_what, reason, text, scenario) => {
    const meeting = bench.meeting(scenario)
    const kind = reason === 'ConnectionLost' ? 'failed' : 'blocked'
    expect(await knock(meeting.url)).toEqual({ kind, reason, message: expect.stringMatching(text) })
    expect(meeting.inside()).toEqual([])
  })

  test.each(['work', 'personal'] as const)(
    'reports a wrong passcode of a %s meeting as InvalidMeetingLink',
    { timeout: LONG },
    async (variant) => {
      const meeting = bench.meeting({ variant })
      const message = expect.stringMatching(/passcode/)
      // Passcodes are case-sensitive.
      const outcome = await knock(meeting.links.short.replace('aB3', 'ab3'))
      expect(outcome).toEqual({ kind: 'blocked', reason: 'InvalidMeetingLink', message })
      expect(meeting.pressed).toEqual([])
    },
  )

  test('reports an unknown meeting as MeetingNotFound', { timeout: LONG }, async () => {
    const message = expect.stringMatching(/no such meeting/)
    const outcome = await knock('https://teams.microsoft.com/meet/2345678901234?p=abcDEF')
    expect(outcome).toEqual({ kind: 'blocked', reason: 'MeetingNotFound', message })
  })

  test('reloads a page that hangs while it loads, and then reports ConnectionLost', { timeout: LONG }, async () => {
    const meeting = bench.meeting({ loadMs: null })
    const message = expect.stringMatching(/did not finish loading/)
    expect(await knock(meeting.url)).toEqual({ kind: 'failed', reason: 'ConnectionLost', message })
    expect(meeting.asked.filter(({ path }) => path.startsWith('/l/meetup-join/'))).toHaveLength(2)
  })
})

type LobbyEnding = readonly [what: string, outcome: object, scenario: Partial<Scenario>, act: (meeting: Meeting) => void]

const REFUSED = { kind: 'refused' }
const over = (reason: string) => ({ kind: 'over', reason, message: expect.any(String) })

const LOBBY_ENDINGS: readonly LobbyEnding[] = [
  ['denied', REFUSED, {}, (it) => it.refuse()],
  ['denied by a personal host', REFUSED, { variant: 'personal', denied: 'declined' }, (it) => it.refuse()],
  ['denied in German', REFUSED, { language: 'de', endBody: 'plain' }, (it) => it.refuse()],
  ['denied in a frame, in Dutch', REFUSED, { language: 'nl', frame: 'iframe', denied: 'declined' }, (it) => it.refuse()],
  ['denied in Chinese', REFUSED, { language: 'zh', variant: 'personal' }, (it) => it.refuse()],
  ['in the lobby when the meeting ends', over('MeetingEnded'), { lobby: 'soon' }, (it) => it.end()],
  ['in the lobby when a personal call ends', over('MeetingEnded'), { ended: 'call_ended', variant: 'personal' }, (it) => it.end()],
  ['in the lobby when anonymous joins are switched off', over('SignInRequired'), {}, refuseAnonymous],
]

/** Refuses the next knock too. */
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
  test.each(LOBBY_ENDINGS)('reports the outcome when it is %s', { timeout: LONG }, async (_what, outcome, scenario, act) => {
    const meeting = bench.meeting(scenario)
    expect(await wait(meeting, () => waits(meeting).then(() => act(meeting)))).toEqual(outcome)
  })

  test.each(['work', 'personal'] as const)(
    'reports never_admitted when no one answers in a %s meeting',
    { timeout: LONG },
    async (variant) => {
      expect(await wait(bench.meeting({ variant }), undefined, 3_000)).toEqual({ kind: 'never_admitted' })
    },
  )

  test('reports never_admitted with isEarly when the meeting does not start', { timeout: LONG }, async () => {
    const meeting = bench.meeting({ knock: 'not_started', notStarted: 'hi_when_starts' })
    expect(await wait(meeting, undefined, 3_000)).toEqual({ kind: 'never_admitted', isEarly: true })
  })

  test.each(NOT_STARTED)('enters a meeting that starts later, %o', { timeout: LONG }, async (scenario) => {
    const meeting = bench.meeting({ knock: 'not_started', ...scenario })
    const open = () => {
      meeting.start()
      meeting.admit()
    }
    expect(await wait(meeting, open)).toEqual({ kind: 'admitted' })
  })

  /** The host admits the bot at its second knock. */
  async function admitAfter(meeting: Meeting, accident: () => void): Promise<void> {
    await waits(meeting)
    accident()
    await waits(meeting)
    meeting.admit()
  }

  test.each(['work', 'personal'] as const)('knocks again when the lobby of a %s meeting times out', { timeout: LONG }, async (variant) => {
    const meeting = bench.meeting({ variant })
    expect(await wait(meeting, () => admitAfter(meeting, () => meeting.timeOutLobby()))).toEqual({ kind: 'admitted' })
  })

  test('knocks again with the same button when the lobby loses its connection', { timeout: LONG }, async () => {
    const meeting = bench.meeting()
    expect(await wait(meeting, () => admitAfter(meeting, () => meeting.failLobby()))).toEqual({ kind: 'admitted' })
    expect(meeting.pressed.map(({ control }) => control)).toEqual(['join', 'join'])
  })

  test('reports a refusal by a tenant that blocks detected bots', { timeout: LONG }, async () => {
    expect(await wait(bench.meeting({ suspectsBots: true, externalBotAccess: 'block' }))).toEqual(REFUSED)
  })
})
