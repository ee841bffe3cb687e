// The lobby of the simulated Microsoft Teams and its endings, as a plain page sees them.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, eventually, isWaiting, openTeams, type Visited } from '../../helpers/meetings/teams-page.ts'

const JOIN = '[data-tid="prejoin-join-button"]'

const browser = openForFile(openTeams)

async function knocked(scenario: Partial<Scenario>): Promise<Visited> {
  const visited = await browser.visit(scenario)
  await askToJoin(visited.page)
  return visited
}

test('says in the lobby that the meeting has not started, and names the person who refused', async () => {
  const { meeting, page } = await knocked({ knock: 'not_started', notStarted: 'hi_when_starts', lobby: 'hi_should_soon' })
  await page.getByText('Hi, Notetaker. Someone will let you in when the meeting starts.').waitFor()
  expect(await page.locator(JOIN).isDisabled()).toBe(true)
  meeting.start()
  await page.getByText('Hi Notetaker, someone in the meeting should let you in soon').waitFor()
  meeting.refuse()
  await page.locator('#calling-retry-screen-title').getByText('Sorry, but you were denied access to the meeting.').waitFor()
  await page.locator('[data-tid="calling-retry-cancelbutton"]').click()
  expect(meeting.waiting()).toEqual([])
})

test('returns to the join button when the lobby fails, and waits again after a press', async () => {
  const { meeting, page } = await knocked({})
  await isWaiting(meeting)
  meeting.failLobby()
  await page.locator(`${JOIN}:enabled`).click()
  await isWaiting(meeting)
  meeting.timeOutLobby()
  await page.getByText("Sorry, we couldn't connect you").waitFor()
})

test('keeps a suspected bot in a group that "Admit all" leaves out', async () => {
  const { meeting, page } = await knocked({ suspectsBots: true, knock: 'admitted' })
  const bot = await isWaiting(meeting)
  expect(() => meeting.admit()).toThrow()
  meeting.admit(bot.id)
  await page.locator('#callingButtons-showMoreBtn').waitFor()
  const blocked = await knocked({ suspectsBots: true, externalBotAccess: 'block' })
  await blocked.page.getByText('Sorry, but you were denied access to the meeting.').waitFor()
})

test.each([
  [{ knock: 'captcha' }, "Verify you're a real person"],
  [{ knock: 'verify_info' }, 'We need to verify your info before you can join'],
  [{ knock: 'encrypted' }, 'An encryption error occurred'],
  [{ knock: 'connect_error', apostrophes: 'curly' }, 'Sorry, we couldn’t connect you'],
  [{ lobbyTimeOutMs: 200 }, "Sorry, we couldn't connect you"],
  [{ knock: 'sign_in' }, 'Sign in'],
] as const)('answers %o with "%s"', async (scenario, text) => {
  const { page } = await knocked(scenario)
  await page.getByText(text, { exact: true }).first().waitFor()
})

test('shows a sign-in wall when anonymous joins are off', async () => {
  const { meeting, page } = await knocked({ signInWall: 'contact_organizer' })
  await isWaiting(meeting)
  meeting.refuseAnonymous()
  await page.getByText('Sign in to Teams to join, or contact the meeting organizer').waitFor()
})

test.each([
  ['tid', '[data-tid="hangup-main-btn"]'],
  ['inp', '[data-inp="hangup-button"]'],
  ['call_hangup', '[data-tid="call-hangup"]'],
] as const)('lets a page leave by the control %s, and ends the call for everybody', async (hangup, selector) => {
  const { meeting, page } = await knocked({ knock: 'admitted', hangup, endBody: 'plain', ended: 'call_ended' })
  await page.locator(selector).waitFor()
  meeting.end()
  await page.getByRole('heading', { name: 'Call ended' }).waitFor()
  expect(meeting.inside()).toEqual([])
})

test('removes a participant whose tab is closed', async () => {
  const { meeting, page } = await knocked({ knock: 'admitted' })
  await page.locator('#hangup-button').waitFor()
  await page.close()
  await eventually('nobody is inside', () => meeting.inside().length === 0)
})
