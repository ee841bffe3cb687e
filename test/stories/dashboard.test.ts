// The dashboard in a real browser, from the first start to a bot in the built-in room. `dashboard/` has the longer stories.
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../sims/room/people.ts'
import { openForFile } from '../helpers/for-file.ts'
import { browserOf, PASSWORD } from '../helpers/service/dashboard.ts'
import { judgeAccess, openPage, type Watched } from '../helpers/service/dashboard-page.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { clientOf, WITH_BOTS, WITH_DASHBOARD } from '../helpers/service/service.ts'

const LONG_MS = 60_000
const tomorrow = () => ({ meeting_link: 'https://meet.google.com/abc-defg-hij', join_at: new Date(Date.now() + 86_400_000).toISOString() })

const service = serviceForFile({ ...WITH_BOTS, ...WITH_DASHBOARD })
const browser = openForFile(launchBrowser)
let watched: Watched
let page: Page
beforeAll(async () => {
  watched = await openPage(browser)
  page = watched.page
  page.setDefaultTimeout(LONG_MS)
})

const button = (name: string | RegExp) => page.getByRole('button', { name })

test('allows no inline script and loads less than 200 kB at first', async () => {
  const answer = await fetch(`${service.url}/`)
  expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';")
  const files = [...(await answer.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => `${service.url}${path}`)
  const sizes = await Promise.all(files.map(async (file) => gzipSync(await (await fetch(file)).bytes()).length))
  expect(files.length).toBeGreaterThan(2)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
})

test('creates an account from the set-up link and shows an empty list of bots', { timeout: 120_000 }, async () => {
  await page.goto(service.setUpUrl)
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('E-mail').fill('ada@example.com')
  await page.getByLabel('Password').fill('a long enough password')
  await judgeAccess(page, 'set-up')
  await button('Create the account').click()
  await page.getByRole('heading', { name: 'No bots yet' }).waitFor()
  await judgeAccess(page, 'an empty list')
})

test('sends a bot, follows it live and removes it', { timeout: 240_000 }, async () => {
  await page.getByRole('link', { name: 'Send your first bot' }).click()
  await button('Open a room of this server').click()
  await page.getByText('✓ Built-in room').waitFor()
  await judgeAccess(page, 'the form')
  await page.getByLabel('Name of the bot').fill('Sales notes')
  await page.getByText('"bot_name": "Sales notes"').waitFor()
  await button('Send the bot now').click()
  await page.getByRole('heading', { name: 'Sales notes' }).waitFor()
  await page.locator('header').getByText('In the meeting', { exact: true }).waitFor()
  await page.getByLabel('A message for the chat').fill('Hello from the dashboard')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('section', { hasText: 'Chat' }).getByText('Hello from the dashboard').waitFor()
  await judgeAccess(page, 'a bot in its meeting')
  await button('Remove the bot').click()
  await button('Really remove the bot?').click()
  await page.locator('header').getByText('In the meeting', { exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: '← Bots' }).click()
  await page.getByRole('link', { name: /Sales notes/ }).waitFor()
})

test('opens the page of a link that was clicked as soon as the list was there', { timeout: 120_000 }, async () => {
  const { page: quick } = await openPage(browser)
  await quick.context().addCookies(await page.context().cookies())
  await quick.clock.install()
  await quick.clock.pauseAt(Date.now() + 60_000)
  const asked = Promise.withResolvers<void>()
  const open = Promise.withResolvers<void>()
  await quick.route('**/assets/send-*.js', async (route) => {
    asked.resolve()
    await open.promise
    await route.continue()
  })
  await quick.goto(`${service.url}/`)
  await quick.getByRole('main').getByRole('link', { name: 'Send a bot' }).click()
  await asked.promise
  // Whatever the list does later must not bring it back.
  await quick.clock.runFor(1_000)
  open.resolve()
  await quick.getByRole('button', { name: 'Open a room of this server' }).waitFor({ timeout: LONG_MS })
  await quick.context().close()
})

test('lists a bot that was created before the stream of events was open', { timeout: 120_000 }, async () => {
  const open = Promise.withResolvers<void>()
  await page.route('**/live', async (route) => {
    await open.promise
    await route.continue()
  })
  await page.goto(`${service.url}/`)
  await page.getByRole('link', { name: /Sales notes/ }).waitFor()
  await service.api('POST', '/api/v1/bots/create_bot', { ...tomorrow(), bot_name: 'Early bird' })
  open.resolve()
  await page.getByRole('link', { name: /Early bird.*Scheduled/ }).waitFor()
  await page.unroute('**/live')
})

test('updates the list of bots live and searches it by name and attribute', { timeout: 120_000 }, async () => {
  await page.goto(`${service.url}/`)
  await page.getByRole('heading', { name: 'Bots' }).waitFor()
  await service.api('POST', '/api/v1/bots/create_bot', {
    ...tomorrow(),
    bot_name: 'Interview',
    custom_attributes: { team: 'hiring' },
  })
  await page.getByRole('link', { name: /Interview.*Scheduled/ }).waitFor()
  await page.getByLabel('Search').fill('team:hiring')
  await page.getByRole('link', { name: /Sales notes/ }).waitFor({ state: 'detached' })
  await page.getByLabel('Search').fill('nothing like it')
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('alert').getByText('No connection to the service').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('alert').waitFor({ state: 'detached' })
})

test('creates a working API key and sends a test event to an endpoint', { timeout: 120_000 }, async () => {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Purpose').fill('CI')
  await button('Make the key').click()
  const key = await page.locator('code').textContent()
  expect((await clientOf(service.url, key)('GET', '/api/v1/bots')).status).toBe(200)
  await page.getByRole('listitem').filter({ hasText: 'CI' }).getByText('made by ada@example.com').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'first key' }).getByText('made by the operator').waitFor()

  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByLabel('URL').fill('http://127.0.0.1:9/hook')
  await button('Add the endpoint').click()
  await page.getByText('it is not shown again').waitFor()
  await button('Send a test').click()
  await page.getByText('Test event queued').waitFor()
  await page.locator('summary', { hasText: 'http://127.0.0.1:9/hook' }).first().waitFor()
})

test('sets the Teams app of the workspace, and deletes it', { timeout: 120_000 }, async () => {
  await page.getByRole('link', { name: 'Logins' }).click()
  const app = page.locator('section', { has: page.getByRole('heading', { name: 'Teams app' }) })
  await app.getByLabel('Tenant').fill('acme.example')
  await app.getByLabel('Client id').fill('client-1')
  await app.getByLabel('Client secret').fill('hush')
  await app.getByRole('button', { name: 'Keep' }).click()
  await app.getByText('client-1').waitFor()
  await app.getByRole('button', { name: 'Forget' }).click()
  await app.getByRole('button', { name: 'Really forget?' }).click()
  await app.getByText('This workspace has no app of its own.').waitFor()
})

test('joins a workspace from an invitation as a new person, and again with the account', { timeout: 120_000 }, async () => {
  const ada = browserOf(service.url)
  await ada.signIn('ada@example.com')
  const workspace = `/dashboard/v1/workspaces/${ada.workspaceId()}`
  const openInvitation = async () => {
    const { body } = await ada.ask('POST', `${workspace}/invitations`, { email: 'grace@example.com', role: 'member' })
    const { page: opened } = await openPage(browser)
    await opened.goto(body.url)
    return opened
  }
  const join = async (opened: Page, password: string) => {
    await opened.getByLabel('Password').fill(password)
    await opened.getByRole('button', { name: 'Join the workspace' }).click()
  }
  const first = await openInvitation()
  await first.getByLabel('Your name').fill('Grace Hopper')
  await judgeAccess(first, 'invitation')
  await join(first, PASSWORD)
  await first.getByRole('heading', { name: 'Bots' }).waitFor({ timeout: LONG_MS })

  const { members } = (await ada.ask('GET', `${workspace}/people`)).body
  const { user_id } = members.find(({ name }: { name: string }) => name === 'Grace Hopper')
  await ada.ask('DELETE', `${workspace}/people/${user_id}`)
  const again = await openInvitation()
  await again.getByRole('button', { name: 'I have an account' }).click()
  expect(await again.getByLabel('Your name').count()).toBe(0)
  await join(again, 'not her password')
  await again.getByText('If you have an account on this server').waitFor({ timeout: LONG_MS })
  await join(again, PASSWORD)
  await again.getByRole('heading', { name: 'Bots' }).waitFor({ timeout: LONG_MS })
})

test('shows only the sign-in page without a session cookie', { timeout: 120_000 }, async () => {
  const { page: stolen } = await openPage(browser)
  await stolen.goto(page.url())
  await stolen.getByRole('heading', { name: 'Welcome back' }).waitFor({ timeout: LONG_MS })
  expect(await stolen.textContent('body')).not.toContain('Ada')
  await judgeAccess(stolen, 'sign-in')
})

test('reopens the stream of events after a proxy has answered for the service', { timeout: 120_000 }, async () => {
  await page.route('**/live', (route) => route.fulfill({ status: 502 }), { times: 1 })
  await page.goto(`${service.url}/`)
  await page.getByRole('link', { name: /Interview/ }).waitFor()
  await service.api('POST', '/api/v1/bots/create_bot', { ...tomorrow(), bot_name: 'Late bird' })
  await page.getByRole('link', { name: /Late bird.*Scheduled/ }).waitFor()
})

test('returns to the sign-in page when the session was ended elsewhere', { timeout: 120_000 }, async () => {
  await sql`delete from sessions`.execute(service.db)
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  expect(watched.problems.filter((it) => !it.includes('502'))).toEqual([])
})
