// All pages of the dashboard: the trial with its recording, and each page for accessibility, on a phone and in dark mode.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../../sims/room/people.ts'
import { openLocalDisk } from '../../../src/storage/local-disk.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { browserOf } from '../../helpers/service/dashboard.ts'
import { judgeAccess, judgeWidth, openPage, type Watched } from '../../helpers/service/dashboard-page.ts'
import { createEndedBot, makeDue } from '../../helpers/service/ended-bot.ts'
import { serviceForFile } from '../../helpers/service/for-file.ts'
import { WITH_BOTS, WITH_DASHBOARD } from '../../helpers/service/service.ts'
import { until } from '../../helpers/until.ts'

const LONG_MS = 60_000

const service = serviceForFile({ ...WITH_BOTS, ...WITH_DASHBOARD })
const browser = openForFile(launchBrowser)
let watched: Watched
let page: Page
let root: string
beforeAll(async () => {
  const owner = browserOf(service.url)
  await owner.join(service.setUpUrl, { name: 'Ada Lovelace', email: 'ada@example.com' })
  root = `${service.url}/w/${owner.workspaceId()}`
  watched = await openPage(browser)
  page = watched.page
  page.setDefaultTimeout(LONG_MS)
  const [name = '', value = ''] = owner.cookie().split('=')
  await page.context().addCookies([{ name, value, url: service.url }])
})

const button = (name: string | RegExp) => page.getByRole('button', { name })

test('runs the trial from an empty workspace to a playable recording', { timeout: 600_000 }, async () => {
  await page.goto(`${root}/send`)
  await page.getByRole('link', { name: 'watch a trial' }).click()
  await button('Start').click()
  await until('a voice is heard live', async () => (await page.locator('meter[value]:not([value="0"])').count()) > 0, 120_000)
  await page.getByRole('list', { name: 'Live transcript' }).getByRole('listitem').first().waitFor({ timeout: 120_000 })
  await judgeAccess(page, 'the trial')
  await page.locator('video').waitFor({ timeout: 240_000 })
  await until('the recording can be played', () => page.evaluate('document.querySelector("video").duration > 5'), LONG_MS)
  await button(/^Ben/).first().click({ timeout: 240_000 })
  await until('a click on the transcript moves the player', () => page.evaluate('document.querySelector("video").currentTime > 1'), LONG_MS)
  await page.getByText('Listen to separate voices').click()
  await page.getByLabel('Volume of Ada').waitFor()
  await page.getByRole('link', { name: 'Everything about this bot' }).click()
  await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  await transcribedAgain(page.url().split('/').at(-1) ?? '')
  await renameBen()
  const slider = page.getByRole('slider', { name: 'Position in the recording' })
  await slider.focus()
  await slider.press('Home')
  await slider.press('ArrowRight')
  await until('a key on the lanes moves the player', () => page.evaluate('document.querySelector("video").currentTime === 5'), LONG_MS)
  await judgeAccess(page, 'a finished bot')
  // On a busy machine a bot may not speak in time, and the page offers to ask it again.
  expect(watched.problems.filter((it) => !/503 .*\/speak$|status of 503/.test(it))).toEqual([])
})

test('shows a recording in another layout, in step with the player', { timeout: 300_000 }, async () => {
  const { api, db, directory } = service
  const bot = await createEndedBot({ api, db, store: await openLocalDisk(join(directory, 'objects')) })
  await makeDue(db, bot)
  await until('the bot is done', async () => (await api('GET', `/api/v1/bots/${bot}/status`)).body.status === 'Done', 240_000)
  await page.goto(`${root}/bots/${bot}`)
  await button('Speaker').click()
  const slider = page.getByRole('slider', { name: 'Position in the recording' })
  await slider.press('Home')
  await slider.press('ArrowRight')
  await page.locator('figcaption', { hasText: 'Bob' }).waitFor()
  await until('the tile is in step', () => page.evaluate('Math.abs(document.querySelector("figure video").currentTime - 5) < 0.5'), LONG_MS)
  expect(await page.locator('figure video').count()).toBe(1)
})

/** The trial transcribes a second time after the call. After that, its data no longer changes. */
async function transcribedAgain(bot: string): Promise<void> {
  type Run = { readonly provider: string; readonly status: string }
  const runs = async (): Promise<readonly Run[]> => (await service.api('GET', `/api/v1/bots/${bot}/transcriptions`)).body.transcriptions
  const isMade = async () => (await runs()).some(({ provider, status }) => provider === 'native' && status === 'Success')
  await until('the recording is transcribed after the call', isMade, 240_000)
}

/** Checks that the transcript and its files have the new speaker name. */
async function renameBen(): Promise<void> {
  await page.getByText('Rename speakers').click()
  await page.getByLabel('Name of Ben').fill('Benedict')
  await page
    .locator('form', { has: page.getByLabel('Name of Ben') })
    .getByRole('button', { name: 'Rename' })
    .click()
  await button(/^Benedict/)
    .first()
    .waitFor()
  const downloading = page.waitForEvent('download')
  await button('Transcript (txt)').click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  expect(text).toMatch(/Benedict: /)
}

const SETTINGS = ['keys', 'webhooks', 'people', 'calendars', 'logins', 'speech', 'storage', 'usage', 'fleet', 'account'].map(
  (name) => `settings/${name}`,
)

test('passes accessibility checks and fits a phone on every page, also in dark mode', { timeout: 300_000 }, async () => {
  const before = watched.problems.length
  const state = await page.context().storageState()
  const phone = await openPage(browser, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', storageState: state })
  const show = async ({ page: shown }: Watched, path: string) => {
    await shown.goto(`${root}/${path}`)
    await shown.locator('h1').waitFor({ timeout: LONG_MS })
    await until(`${path} is loaded`, async () => (await shown.getByRole('status').count()) === 0, LONG_MS)
    await judgeWidth(shown, path)
    return shown
  }
  for (const path of ['bots', 'send', ...SETTINGS]) await judgeAccess(await show(watched, path), path)
  for (const path of ['bots', 'send', ...SETTINGS]) await show(phone, path)
  // Dark mode changes colours only, and these pages use all of them.
  for (const path of ['bots', 'send', 'settings/webhooks']) await judgeAccess(await show(phone, path), `${path} in the dark`)
  expect([...watched.problems.slice(before), ...phone.problems]).toEqual([])
})
