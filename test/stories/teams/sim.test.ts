// The join pages of the simulated Microsoft Teams, used by a plain page: every link and screen of the field notes.
import { describe, expect, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { openForFile } from '../../helpers/for-file.ts'
import {
  askToJoin,
  eventually,
  isWaiting,
  openTeams,
  pressByScript,
  presses,
  type TeamsBrowser,
  type Visited,
} from '../../helpers/meetings/teams-page.ts'

const NAME = '[data-tid="prejoin-display-name-input"]'
const JOIN = '[data-tid="prejoin-join-button"]'

const APPLICATION = { client_id: 'client-1', client_secret: 'hush' }

const browser = openForFile(() => openTeams({ accounts: [], applications: { 'client-1': 'hush' } }))

const visit: TeamsBrowser['visit'] = (scenario, form) => browser.visit(scenario, form)

async function knocked(scenario: Partial<Scenario>): Promise<Visited> {
  const visited = await visit(scenario)
  await askToJoin(visited.page)
  return visited
}

describe('a link of the simulator', () => {
  test.each([...(['meetup_join', 'encoded_twice', 'v2', 'light', 'short', 'cloud', 'government', 'google'] as const)])(
    'opens the prejoin page from the form %s',
    async (form) => {
      const { page } = await visit({}, form)
      await page.locator(NAME).waitFor()
    },
  )

  test.each(['launcher', 'launcher_unencoded', 'launcher_meet'] as const)('opens the launcher from the form %s', async (form) => {
    const { page } = await visit({ launcher: 'shown' }, form)
    expect(await page.locator('iframe#teamsLauncher').getAttribute('src')).toMatch(/^msteams:/)
    await pressByScript(page, 'joinOnWeb')
    await page.locator(NAME).waitFor()
    expect(new URL(page.url()).pathname).toBe('/v2/')
  })

  test('goes on from the launcher by itself', async () => {
    const { page } = await visit()
    await page.locator(NAME).waitFor()
    expect(new URL(page.url()).pathname).toBe('/v2/')
  })

  test('opens the launcher first', async () => {
    const { page } = await visit({ launcher: 'shown', onWeb: 'web_app' })
    expect(new URL(page.url()).pathname).toBe('/dl/launcher/launcher.html')
    await page.getByText('Use the web app instead').waitFor()
    await pressByScript(page, 'joinOnWeb')
    await page.locator(NAME).waitFor()
  })

  test('has its own links for personal meetings and channel meetings', async () => {
    const personal = await visit({ variant: 'personal' })
    expect(new URL(personal.page.url()).hostname).toBe('teams.live.com')
    await personal.page.locator(NAME).waitFor()
    const channel = browser.teams.meeting({}, 'channel')
    expect(decodeURIComponent(channel.url)).toMatch(/@thread\.tacv2\/\d{13}\?/)
    await personal.page.goto(channel.url)
    await personal.page.locator(NAME).waitFor()
  })

  test.each([
    ['/l/meetup-join/19%3ameeting_x%40thread.v2/0', 'Looks like the meeting URL is incorrect.'],
    ['/meet/2999999999999?p=nothing', "We couldn't find a meeting matching this ID and passcode."],
  ])('says that %s names no meeting', async (path, text) => {
    const page = await browser.newPage()
    await page.goto(`https://teams.microsoft.com${path}`, { waitUntil: 'domcontentloaded' })
    await page.getByText(text).waitFor()
  })

  test.each([
    ['http_404', 404],
    ['http_410', 410],
    ['http_503', 503],
  ] as const)('answers %s', async (landing, status) => {
    const { meeting, page } = await browser.prepare({ landing })
    expect((await page.goto(meeting.url))?.status()).toBe(status)
  })

  test.each(['shown', 'skipped'] as const)('knows a bot by a token of Microsoft, with the launcher %s', async (launcher) => {
    const form = { grant_type: 'client_credentials', ...APPLICATION, scope: 'https://ic3.teams.office.com/.default' }
    const answer = await fetch(`${browser.teams.loginUrl}/acme/oauth2/v2.0/token`, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token } = (await answer.json()) as { readonly access_token: string }
    for (const [token, known] of [
      [access_token, true],
      ['a.b.c', false],
    ] as const) {
      const { meeting, page } = await browser.prepare({ launcher, suspectsBots: true })
      await page.goto(`${meeting.url}#token=${token}`, { waitUntil: 'domcontentloaded' })
      if (launcher === 'shown') await pressByScript(page, 'joinOnWeb')
      await page.locator(NAME).fill('Notetaker')
      await pressByScript(page, 'prejoin-join-button')
      await isWaiting(meeting)
      expect(meeting.waiting()[0]).toMatchObject({ token, known, suspected: !known })
    }
  })
})

describe('the simulator before the join', () => {
  test('asks for the passcode that a short link lacks, and compares its case', async () => {
    const { meeting, page } = await browser.prepare()
    await page.goto(meeting.links.short.replace(/\?.*/, ''))
    const field = page.locator('input[placeholder="Type a meeting passcode"]')
    await field.fill('AB3XYZ')
    await page.getByRole('button', { name: 'Join meeting' }).click()
    await page.getByText('That passcode is not correct.').waitFor()
    await field.fill('aB3xYz')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.locator(NAME).waitFor()
  })

  test('is in the first iframe', async () => {
    const { meeting, page } = await visit({ frame: 'iframe' })
    const frame = await eventually('there is a frame', () => page.frames()[1])
    await askToJoin(frame)
    await isWaiting(meeting)
    expect(await page.locator(NAME).count()).toBe(0)
  })

  test('hangs on its loading screen', async () => {
    const { meeting, page } = await browser.prepare({ loadMs: null })
    const booted = page.waitForResponse(/\/v2\/_\/boot$/)
    await page.goto(meeting.url)
    await (await booted).finished()
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    expect(await page.locator('#loading-screen').isVisible()).toBe(true)
    expect(await page.locator(NAME).count()).toBe(0)
  })

  test.each(['reload_on_name', 'reload_on_join'] as const)('begins with the light experience %s', async (experience) => {
    const { meeting, page } = await visit({ experience, launcher: 'shown' })
    await pressByScript(page, 'joinOnWeb')
    await page.waitForURL(/light-meetings/)
    await page.locator(NAME).fill('Notetaker')
    if (experience === 'reload_on_join') await pressByScript(page, 'prejoin-join-button')
    await page.waitForURL(/lightExperience=false/)
    await page.locator(NAME).fill('Notetaker')
    await pressByScript(page, 'prejoin-join-button')
    await isWaiting(meeting)
  })

  test('has buttons that look like errors on a healthy page', async () => {
    const { page } = await visit()
    await page.locator(NAME).waitFor()
    for (const decoy of ['[data-tid*="retry"]', 'button:text-is("OK")', 'button:text-is("Try again")'])
      expect(await page.locator(decoy).isVisible(), decoy).toBe(true)
    expect(await page.locator('[class*="error"]').count()).toBe(1)
  })

  test.each(['placeholder', 'aria-label', 'only_input'] as const)('has a name field with %s only', async (nameField) => {
    const { page } = await visit({ nameField, audioChoice: false, toggles: 'div' })
    const selectors = { placeholder: '[placeholder="Type your name"]', 'aria-label': '[aria-label="Type your name"]', only_input: 'input' }
    await page.locator(`input${selectors[nameField]}`.replace('inputinput', 'input')).fill('Notetaker')
    await page.locator(`${JOIN}:enabled`).waitFor()
    expect(await page.locator(NAME).count()).toBe(0)
  })

  test('has titled boxes as switches, and dialogs before or after the knock', async () => {
    const { meeting, page } = await visit({
      toggles: 'titled',
      permissionNote: true,
      noDevicesDialog: 'before_join',
      join: 'ask',
      joinButton: 'text',
    })
    await page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
    await page.getByText('Your microphone is muted').waitFor()
    expect(await page.locator('[data-cid="toggle-mute-false"] button').getAttribute('title')).toBe('Unmute')
    await page.locator(NAME).fill('Notetaker')
    await page.getByRole('button', { name: 'Ask to join' }).click()
    await page.getByRole('button', { name: 'Continue without audio or video' }).click()
    await isWaiting(meeting)
    expect(presses(meeting)).toEqual(['allow_ok', 'join', 'without_devices'])
    const after = await knocked({ noDevicesDialog: 'after_join' })
    await isWaiting(after.meeting)
    await after.page.getByRole('button', { name: 'Continue without audio or video' }).waitFor()
  })

  test.each([
    ['de', 'Jetzt teilnehmen', 'Sie wurden entfernt'],
    ['nl', 'Nu deelnemen', 'U bent verwijderd uit deze vergadering'],
    ['zh', '立即加入', '你已从此会议中移除'],
    ['en-GB', 'Join now', "You've been removed from this meeting"],
  ] as const)('is shown in %s', async (language, join, removed) => {
    const { meeting, page } = await visit({ language, knock: 'admitted' })
    await page.locator(NAME).fill('Notetaker')
    await page.getByRole('button', { name: join }).click()
    await page.locator('#hangup-button').waitFor()
    meeting.remove()
    await page.locator('#calling-retry-screen-title').getByText(removed).waitFor()
  })

  test.each([
    ['login_form', 'input[name="loginfmt"][type="email"]'],
    ['encrypted', '[data-tid="calling-e2ee-end-screen"]'],
    ['captcha', 'text="Verify you\'re a real person"'],
    ['org_policy', 'text="Due to org policy, you need to sign in or use Teams on the web to join this meeting."'],
    ['webinar', 'text=/^External participants are not permitted/'],
    ['bad_link', 'text=/^Looks like the meeting URL is incorrect/'],
  ] as const)('shows the screen %s for a link', async (landing, selector) => {
    const { page } = await visit({ landing })
    await page.locator(selector).waitFor()
  })
})
