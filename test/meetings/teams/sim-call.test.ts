// The call of the simulated Microsoft Teams, from the lobby to the end, as a plain page uses it.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/teams/teams.ts'
import { wav } from '../../helpers/callers/files-server.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, eventually, loudnessAt, openTeams, presses, seesColour, type Visited } from '../../helpers/meetings/teams-page.ts'

/** Several waits for media, each with its own deadline. */
const LONG = { timeout: 90_000 }

const browser = openForFile(openTeams)

async function joined(scenario: Partial<Scenario> = {}): Promise<Visited> {
  const visited = await browser.visit({ knock: 'admitted', ...scenario })
  await askToJoin(visited.page)
  await visited.page.locator('#callingButtons-showMoreBtn').waitFor()
  return visited
}

async function expectTones(visited: Visited, tones: readonly number[], silent: readonly number[]): Promise<void> {
  const isAudible = async () => {
    const levels = await loudnessAt(visited.page, [...tones, ...silent])
    return levels.every((level, at) => (at < tones.length ? level > -45 : level < -60))
  }
  await eventually(`${tones} Hz are heard and ${silent} Hz are not`, isAudible)
}

test('admits a guest from the lobby, with audio of two people at once, video and chat', LONG, async () => {
  const { meeting, page } = await browser.visit({ devicesOn: true })
  const ann = await meeting.call.join({ name: 'Ann Lee', role: 'organizer', colour: '#dc1e1e', voice: 440 })
  const ben = await meeting.call.join({ name: 'Ben', colour: '#1e64dc', voice: 1_000 })
  await page.locator('[data-tid="toggle-video"][aria-checked="true"]').click()
  await page.locator('[data-tid="toggle-video"][aria-checked="false"]').waitFor()
  await askToJoin(page)
  await page.getByText('Someone will let you in shortly').waitFor()
  expect(await page.locator('[data-tid="prejoin-join-button"]').isDisabled()).toBe(true)
  expect(meeting.waiting().map(({ name }) => name)).toEqual(['Notetaker'])

  meeting.admit()
  await page.locator('#callingButtons-showMoreBtn').waitFor()
  await seesColour(page, 'Ann Lee', [220, 30, 30])
  await seesColour(page, 'Ben', [30, 100, 220])
  await expectTones({ meeting, page }, [440, 1_000], [1_700])
  ann.mute()
  await expectTones({ meeting, page }, [1_000], [440])
  ben.leave()
  await expectTones({ meeting, page }, [], [440, 1_000])
  await page.locator('[data-tid="Ben"]').waitFor({ state: 'detached' })

  await page.locator('#chat-button').click()
  await page.locator('[aria-label="Type a message"]').click()
  await page.keyboard.type('Hello from the page')
  await page.keyboard.press('Enter')
  await eventually('the message arrived', () => meeting.call.chat().some(({ content }) => content === '<p>Hello from the page</p>'))
  ann.write('<p>Hello <b>to</b> the page</p>')
  const items = page.locator('[data-tid="chat-pane-item"]')
  await items.nth(1).waitFor()
  expect(await items.locator('[data-tid="message-author-name"]').allInnerTexts()).toEqual(['Notetaker', 'Ann Lee'])
  expect(await items.locator('[data-tid="messageBodyContent"]').allInnerTexts()).toEqual(['Hello from the page', 'Hello to the page'])

  await page.locator('#hangup-button').click()
  await page.getByRole('heading', { name: 'Enjoy your call? Join Teams today for free' }).waitFor()
  await eventually('the guest is gone', () => meeting.inside().length === 0)
  expect(presses(meeting)).toEqual(['camera', 'join', 'chat', 'leave'])
})

test('receives the microphone and camera of the page', LONG, async () => {
  const { meeting, page } = await joined()
  expect(await page.locator('[data-tid="stage-layout"]').innerText()).toContain("You're the only one here")
  await page.getByRole('button', { name: 'Turn camera on' }).click()
  await page.getByRole('button', { name: 'Unmute mic' }).click()
  await eventually('both are reported', () => meeting.state()?.camera && meeting.state()?.microphone)
  await eventually('pictures arrive', () => meeting.call.receivedVideo().frames > 5)
  // Chromium's fake microphone beeps once a second.
  await eventually('sound arrives', () => meeting.call.receivedAudio().packets.some(({ level }) => level !== null && level < 60))
  await page.keyboard.press('Control+Shift+M')
  await eventually('the microphone is off', () => meeting.state()?.microphone === false)
  await page.keyboard.press('Control+Shift+H')
  await page.getByRole('heading', { name: 'Enjoy your call?' }).waitFor()
})

test('receives audio of a client that unmutes itself although its user muted it', LONG, async () => {
  const { meeting } = await joined({ unmutesItself: true })
  await eventually('the microphone is on', () => meeting.state()?.microphone === true)
})

test('shows captions with their speakers when they are turned on in the menu', LONG, async () => {
  const { meeting, page } = await joined()
  const ann = await meeting.call.join({ name: 'Ann Lee' })
  expect(meeting.state()?.captions ?? null).toBeNull()
  await page.locator('#callingButtons-showMoreBtn').click()
  await page.locator('#LanguageSpeechMenuControl-id').click()
  await page.locator('#closed-captions-button').click()
  await eventually('captions are on', () => meeting.state()?.captions === 'en-us')
  expect(await page.locator('[data-tid="closed-caption-renderer-wrapper"]').count()).toBe(0)
  await ann.say(wav(600, 1), 'Good morning to all of you')
  const text = page.locator('[data-tid="closed-caption-v2-virtual-list-content"] [data-tid="closed-caption-text"]')
  await eventually('the sentence is shown', async () => (await text.allInnerTexts()).includes('Good morning to all of you'))
  expect(await page.locator('[data-tid="author"]').allInnerTexts()).toEqual(['Ann Lee'])
  expect(meeting.call.truth()).toMatchObject([{ name: 'Ann Lee', text: 'Good morning to all of you' }])
  await page.evaluate("window.callingDebug.observableCall.setClosedCaptionsLanguage('de-de')")
  await eventually('the language is set', () => meeting.state()?.captions === 'de-de')
  meeting.resetCaptionLanguage()
  await eventually('the language is reset', () => meeting.state()?.captions === 'en-us')
})

test('shows a shared screen in its own section, and turns incoming video off', LONG, async () => {
  const { meeting, page } = await joined({ captionsMenu: 'top', viewMenu: 'custom' })
  const ann = await meeting.call.join({ name: 'Ann Lee', colour: '#dc1e1e' })
  await ann.share('#1eb41e')
  await seesColour(page, 'Ann Lee', [30, 180, 30], 'ScreenSharing')
  await seesColour(page, 'Ann Lee', [220, 30, 30])
  expect([...meeting.call.subscriptions().values()].toSorted()).toEqual([ann.videoSource, ann.screenSource].toSorted())
  await page.locator('#custom-view-button').click()
  await page.locator('#ViewModeMoreOptionsMenuControl-id').click()
  await page.locator('#toggle-incoming-video-button').click()
  await eventually('nothing is subscribed', () => meeting.call.subscriptions().size === 0)
  ann.stopSharing()
  await page.locator('[data-stream-type="ScreenSharing"]').waitFor({ state: 'detached' })
  await page.locator('#callingButtons-showMoreBtn').click()
  await page.getByRole('menuitem', { name: 'Captions' }).click()
  await eventually('captions are on', () => meeting.state()?.captions === 'en-us')
})

test('keeps a guest in the call through a network failure', LONG, async () => {
  const visited = await joined({ network: 'reconnecting', popup: true })
  const { meeting, page } = visited
  await page.getByRole('button', { name: 'Close' }).click()
  await meeting.call.join({ name: 'Ann Lee', colour: '#1e64dc', voice: 440 })
  await seesColour(page, 'Ann Lee', [30, 100, 220])
  meeting.dropNetwork()
  await page.getByText('Reconnecting').waitFor()
  await meeting.call.join({ name: 'Ben', colour: '#1eb41e' })
  meeting.restoreNetwork()
  await page.getByText('Reconnecting').waitFor({ state: 'detached' })
  await seesColour(page, 'Ben', [30, 180, 30])
  await expectTones(visited, [440], [1_700])
  expect(meeting.inside()).toHaveLength(1)
})
