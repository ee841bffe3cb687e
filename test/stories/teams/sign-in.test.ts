// The Teams driver with an account: when it signs in, and Microsoft's sign-in pages.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MicrosoftAccount } from '../../../sims/microsoft-accounts/accounts.ts'
import type { Scenario } from '../../../sims/teams/teams.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { AccountOrders } from '../../../src/domain/protocol.ts'
import { TeamsBench } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000
const BOT: MicrosoftAccount = { email: 'bot@acme.example', password: 'Secret-1', name: 'Acme Bot' }

let bench: TeamsBench
beforeAll(async () => {
  const accounts: MicrosoftAccount[] = [
    BOT,
    { ...BOT, email: 'guest@acme.example' },
    { ...BOT, email: 'mfa@acme.example', obstacle: 'second_factor' },
    { ...BOT, email: 'more@acme.example', obstacle: 'more_information' },
    { ...BOT, email: 'new@acme.example', obstacle: 'new_password' },
    { ...BOT, email: 'locked@acme.example', locked: true },
  ]
  bench = await TeamsBench.open({ accounts })
}, LONG)
afterAll(() => bench?.close())

const ordersFor = (email: string, mode: AccountOrders['mode'], password = BOT.password): AccountOrders => ({
  kind: 'password',
  email,
  mode,
  password,
})

async function visit<Result>(link: string, signIn: AccountOrders, work: (driver: MeetingDriver) => Promise<Result>): Promise<Result> {
  const driver = await bench.driver(link, signIn)
  return work(driver).finally(() => driver.leave('at once'))
}

const attemptsOf = (email: string) => bench.teams.accounts.attempts.filter((it) => it.email === email).map(({ outcome }) => outcome)

/** `name`: the name in the meeting's lobby, which shows who signed in. */
type Joined = readonly [what: string, mode: AccountOrders['mode'], scenario: Partial<Scenario>, name: string]

const JOINED: readonly Joined[] = [
  ['with its account although none is required', 'always', {}, 'Acme Bot'],
  ['with its account through a launcher', 'always', { launcher: 'shown' }, 'Acme Bot'],
  ['with its account in a frame', 'always', { frame: 'iframe' }, 'Acme Bot'],
  ['as a guest when the meeting admits guests', 'if_required', {}, 'Note taker'],
  ['with its account when a sign-in page appears', 'if_required', { landing: 'sign_in' }, 'Acme Bot'],
  ['with its account when a dialog requires one', 'if_required', { landing: 'verify_info' }, 'Acme Bot'],
  ['with its account when the knock is answered with a policy', 'if_required', { knock: 'org_policy' }, 'Acme Bot'],
  ['with its account when guests get a captcha', 'if_required', { landing: 'captcha' }, 'Acme Bot'],
]

describe('a bot with an account', () => {
  test.each(JOINED)('joins %s (mode %s)', { timeout: LONG }, async (_what, mode, scenario, name) => {
    const email = name === 'Note taker' ? 'guest@acme.example' : BOT.email
    const before = attemptsOf(email).length
    const meeting = bench.meeting(scenario)
    await visit(meeting.url, ordersFor(email, mode), async (driver) => {
      expect(await driver.knock(AbortSignal.timeout(LONG))).toEqual({ kind: 'asked' })
      await until('it waits', () => meeting.waiting().length > 0, 30_000)
      expect(meeting.waiting()).toMatchObject([{ name }])
      meeting.admit()
      expect(await driver.enter(AbortSignal.timeout(LONG))).toEqual({ kind: 'admitted' })
    })
    expect(attemptsOf(email).slice(before)).toEqual(name === 'Note taker' ? [] : ['signed_in'])
  })
})

type Failed = readonly [email: string, password: string, text: RegExp, attempts: readonly string[]]

const FAILED: readonly Failed[] = [
  ['nobody@acme.example', BOT.password, /does not know the address.*username may be incorrect/, ['unknown']],
  [BOT.email, 'wrong', /did not accept the password.*is incorrect/, ['wrong']],
  ['locked@acme.example', BOT.password, /locked the account/, ['locked']],
  ['mfa@acme.example', BOT.password, /another proof.*Approve sign in request.*multi-factor/, ['obstacle']],
  ['more@acme.example', BOT.password, /more information/, ['obstacle']],
  ['new@acme.example', BOT.password, /new password/, ['obstacle']],
]

describe('an account that cannot sign in', () => {
  test.each(FAILED)('is tried once and reported as LoginFailed: %s with %s', { timeout: LONG }, async (email, password, text, attempts) => {
    const before = attemptsOf(email).length
    const meeting = bench.meeting()
    const outcome = await visit(meeting.url, ordersFor(email, 'always', password), (driver) => driver.knock(AbortSignal.timeout(LONG)))
    expect(outcome).toEqual({ kind: 'failed', reason: 'LoginFailed', message: expect.stringMatching(text) })
    expect(attemptsOf(email).slice(before)).toEqual(attempts)
    expect(meeting.asked).toEqual([])
  })
})
