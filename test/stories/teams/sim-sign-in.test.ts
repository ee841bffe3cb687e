// Microsoft's sign-in pages and the signed-in join of the simulated Teams, used by a plain page.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, openTeams, type TeamsBrowser } from '../../helpers/meetings/teams-page.ts'

const BOT = { email: 'bot@acme.example', password: 'Secret-1', name: 'Acme Bot' }
const SECRET = 'application-secret'

let browser: TeamsBrowser
beforeAll(async () => {
  browser = await openTeams({
    accounts: [
      BOT,
      { ...BOT, email: 'mfa@acme.example', obstacle: 'second_factor' },
      { ...BOT, email: 'new@acme.example', obstacle: 'new_password' },
      { ...BOT, email: 'locked@acme.example', locked: true },
    ],
    applications: { 'client-1': SECRET },
  })
})
afterAll(() => browser?.close())

async function typeAddress(page: Page, email: string): Promise<void> {
  await page.locator('input[name="loginfmt"]').fill(email)
  await page.locator('input[type="submit"]').click()
}

async function signIn(page: Page, email = BOT.email, password = BOT.password): Promise<void> {
  await typeAddress(page, email)
  await page.locator('input[name="passwd"]').fill(password)
  await page.locator('input[type="submit"]').click()
}

describe('the sign-in pages', () => {
  test('rejects an unknown address and a wrong password, and allows another attempt', async () => {
    const page = await browser.newPage()
    await page.goto('https://www.office.com/login')
    expect(new URL(page.url()).hostname).toBe('login.microsoftonline.com')
    await typeAddress(page, 'nobody@acme.example')
    await page.locator('#usernameError').getByText('This username may be incorrect').waitFor()
    await signIn(page, BOT.email, 'wrong')
    await page.getByText('Your account or password is incorrect').waitFor()
    await page.locator('input[name="passwd"]').fill(BOT.password)
    await page.locator('input[type="submit"]').click()
    await page.getByText('Stay signed in?').waitFor()
    await page.locator('#idBtn_Back').click()
    await page.waitForURL('https://www.office.com/**')
    expect(browser.teams.accounts.attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'wrong', 'signed_in'])
    await page.context().clearCookies()
  })

  test.each([
    ['mfa@acme.example', 'Approve sign in request'],
    ['new@acme.example', 'Update your password'],
    ['locked@acme.example', 'Your account is temporarily locked'],
  ])('stops %s with "%s"', async (email, text) => {
    const page = await browser.newPage()
    await page.goto('https://www.office.com/login')
    await signIn(page, email)
    await page.getByText(text).first().waitFor()
  })

  test('issues a token to an application with its secret', async () => {
    const page = await browser.newPage()
    await page.goto('https://login.microsoftonline.com/tenant-1/')
    const ask = (secret: string) =>
      page.evaluate(async (client_secret) => {
        const scope = 'https://ic3.teams.office.com/.default'
        const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'client-1', client_secret, scope })
        const response = await fetch('/tenant-1/oauth2/v2.0/token', { method: 'POST', body })
        return { status: response.status, ...(await response.json()) }
      }, secret)
    expect(await ask(SECRET)).toMatchObject({ status: 200, token_type: 'Bearer', access_token: browser.teams.accounts.tokens.at(-1) })
    expect(await ask('wrong')).toMatchObject({ status: 401, error: 'invalid_client' })
  })
})

describe('a signed-in join', () => {
  test('returns to the meeting on teams.cloud.microsoft under the account’s name', async () => {
    const { meeting, page } = await browser.visit({ landing: 'sign_in' })
    await page.waitForURL('https://login.microsoftonline.com/**')
    await signIn(page)
    await page.locator('#idSIButton9').click()
    await page.locator('[data-tid="prejoin-join-button"]').click()
    expect(new URL(page.url()).hostname).toBe('teams.cloud.microsoft')
    await eventually('the account waits', () => meeting.waiting()[0]?.name === BOT.name)
    expect(meeting.waiting()[0]?.id).toMatch(/^8:orgid:/)

    const other = await browser.newPage()
    await other.goto(meeting.url)
    await other.waitForURL('https://login.microsoftonline.com/**')
  })

  test('starts at the office page and has no sign-in wall afterwards', async () => {
    const { meeting, page } = await browser.prepare({ landing: 'verify_info', ownTwice: true, knock: 'admitted' })
    await page.goto(meeting.url)
    await page.getByRole('dialog').getByText('We need to verify your info before you can join').waitFor()
    expect(new URL(page.url()).hostname).toBe('teams.microsoft.com')
    await page.goto('https://www.office.com/login')
    await signIn(page)
    await page.locator('#idSIButton9').click()
    await page.waitForURL('https://www.office.com/**')
    await page.goto(meeting.url)
    await page.locator('[data-tid="prejoin-join-button"]').click()
    await page.locator('#callingButtons-showMoreBtn').waitFor()
    const own = () =>
      page.evaluate<number>(
        'callingDebug.observableCall.participants.filter(({ id }) => id === callingDebug.observableCall.callerMri).length',
      )
    await eventually('the own account is in the roster twice', async () => (await own()) === 2)
  })

  test('does not exist on teams.live.com', async () => {
    const { meeting, page } = await browser.prepare({ variant: 'personal' })
    await page.goto('https://www.office.com/login')
    await signIn(page)
    await page.locator('#idSIButton9').click()
    await page.waitForURL('https://www.office.com/**')
    await page.goto(meeting.url)
    await page.locator('[data-tid="prejoin-display-name-input"]').waitFor()
    await page.context().clearCookies()
  })

  test('is required of the first guest only', async () => {
    const { meeting, page } = await browser.prepare({ landing: 'sign_in_once' })
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(meeting.url)
    await page.waitForURL('https://login.microsoftonline.com/**')
    expect(errors).toEqual([expect.stringContaining('[_getUserIdentifier] user missing')])
    await page.goto(meeting.url)
    await page.locator('[data-tid="prejoin-display-name-input"]').waitFor()
  })
})
