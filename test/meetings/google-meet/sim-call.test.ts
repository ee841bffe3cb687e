// The call of the simulated Google Meet, from the knock to the end, as a plain page uses it.
import { expect, test } from 'vitest'
import type { Scenario } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { askToJoin, loudnessAt, openStreet, presses, seesColour, type Visited } from '../../helpers/meetings/meet-page.ts'
import { until } from '../../helpers/until.ts'

const SYNC = '/$rpc/google.rtc.meetings.v1.MeetingSpaceService/SyncMeetingSpaceCollections'
const LOBBY = 'You’ll join the call when someone lets you in'

const street = openForFile(openStreet)

async function joined(scenario: Partial<Scenario> = {}): Promise<Visited> {
  const visited = await street.visit({ knock: 'admitted', ...scenario })
  await askToJoin(visited.page)
  await visited.page.locator('[data-self-name]').waitFor()
  return visited
}

test('admits a guest from a lobby that looks like a call, with audio, video and chat', async () => {
  const { meeting, page } = await street.visit({ devicesOn: true })
  const ann = await meeting.space.join({ name: 'Ann Lee', host: true, colour: '#dc1e1e', voice: 440 })
  await meeting.space.join({ name: 'Ben', muted: true })
  expect(await page.getByRole('button', { name: 'Ask to join' }).isDisabled()).toBe(true)
  await page.locator('[aria-label^="Turn off camera"]').click()
  await page.locator('[aria-label^="Turn on camera"][data-is-muted="true"]').waitFor()
  await askToJoin(page)

  await page.getByText(LOBBY).waitFor()
  for (const trap of ['Leave call', 'Return to home screen'])
    expect(await page.getByRole('button', { name: trap }).isVisible(), trap).toBe(true)
  expect(await page.locator('[data-participant-id]').innerText()).toMatch(/^visual_effects/)
  expect(meeting.knocks().map((it) => it.name)).toEqual(['Notetaker'])

  meeting.admit()
  await page.locator('main [data-participant-id]').nth(2).waitFor()
  expect(await page.locator('main [data-participant-id] .notranslate:not(i)').allTextContents()).toEqual(
    expect.arrayContaining(['Notetaker', 'Ann Lee', 'Ben']),
  )
  await seesColour(page, 'Ann Lee', [220, 30, 30])
  await until('Ann is heard', async () => (await loudnessAt(page, 440)) > -45 && (await loudnessAt(page, 1_500)) < -60, 10_000)
  await until(
    'Ann has a border',
    async () => Number(await page.locator(`main [data-participant-id="${ann.deviceId}"]`).getAttribute('data-audio-level')) > 0,
  )
  await until(
    'the roster was asked for twice',
    () => meeting.asked.filter((it) => it.method === 'POST' && it.path === SYNC).length > 1,
    8_000,
  )

  await page.mouse.move(400, 300)
  await page.getByRole('button', { name: 'Chat with everyone' }).click()
  await page.getByRole('textbox', { name: 'Send a message' }).fill('Hello from the page')
  await page.keyboard.press('Enter')
  await until('the line arrived', () => meeting.space.chat().some((it) => it.text === 'Hello from the page'))
  ann.write('Hello to the page')
  await page.locator('[data-message-id]').nth(1).waitFor()
  expect(await page.locator('[data-message-id]').allInnerTexts()).toEqual([
    expect.stringMatching(/^Notetaker\n.*\nHello from the page$/),
    expect.stringMatching(/^Ann Lee\n.*\nHello to the page$/),
  ])
  expect(meeting.state()).toEqual({ microphone: true, camera: false, captions: null })

  await page.getByRole('button', { name: 'Leave call' }).click()
  await page.getByRole('heading', { name: 'You left the meeting' }).waitFor()
  await until('it is gone', () => meeting.inside().length === 0)
  expect(presses(meeting)).toEqual(['camera', 'join', 'chat', 'leave'])
})

test('shows dialogs, captions in a language, a network failure, and a removal', async () => {
  const { meeting, page } = await joined({
    consents: ['recorded', 'differently'],
    composer: 'contenteditable',
    peopleButton: 'show_everyone',
  })
  const ann = await meeting.space.join({ name: 'Ann Lee', host: true, colour: '#1e64dc' })
  await page.locator('[role="dialog"][aria-modal="true"] [data-mdc-dialog-action="ok"]').click()
  await page.getByRole('button', { name: 'Got it' }).click()
  await page.getByRole('button', { name: 'More options' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  await page.locator('[jsname="z4Tpl"][aria-label="Captions"]').click()
  await page.getByRole('combobox', { name: 'Meeting language' }).click()
  await page.locator('ul[aria-label="Meeting language"] li[data-value="de-DE"]').click()
  await page.getByRole('button', { name: 'Close dialog' }).click()
  await page.getByRole('button', { name: 'Turn on captions' }).click()
  await until('captions are on', () => meeting.state()?.captions === 'de-DE')
  await seesColour(page, 'Ann Lee', [30, 100, 220])
  ann.caption({ text: 'Guten Tag', final: true })
  await page.getByRole('region', { name: 'Captions' }).getByText('Guten Tag').waitFor()

  await page.mouse.move(500, 300)
  await page.getByRole('button', { name: 'Show everyone' }).click()
  const rows = page.locator('[role="list"][aria-label="Participants"] > [role="listitem"]')
  await until('both are listed', async () => (await rows.allTextContents()).join().match(/Notetaker\(You\).*Ann LeeMeeting host/))

  meeting.dropNetwork()
  await page.getByText('You lost your network connection. Trying to reconnect').waitFor()
  meeting.restoreNetwork()
  await page.getByText('You lost your network connection').waitFor({ state: 'hidden' })
  await ann.startCamera('#1eb41e')
  await seesColour(page, 'Ann Lee', [30, 180, 30])

  meeting.remove()
  await page.getByRole('heading', { name: "You've been removed from the meeting" }).waitFor()
})

test('lacks audio elements, hides its toolbar, and is ended by the host', async () => {
  const { meeting, page } = await joined({ audioElements: false, toolbarHidesAfterMs: 300 })
  const leave = page.getByRole('button', { name: 'Leave call', includeHidden: true })
  await leave.waitFor({ state: 'hidden' })
  await page.mouse.move(200, 200)
  await leave.waitFor()
  expect(await page.locator('audio').count()).toBe(0)
  const people = page.getByRole('button', { name: 'People', includeHidden: true })
  await people.waitFor({ state: 'hidden' })
  await people.evaluate((it: HTMLElement) => it.click())
  await page.getByRole('list', { name: 'Participants' }).waitFor()
  meeting.endForAll()
  await page.getByRole('heading', { name: 'Your host ended the meeting for everyone' }).waitFor()
})

test('asks into a breakout room, which is a call of its own, and closes it after a notice', async () => {
  const { meeting, page } = await joined()
  await meeting.space.join({ name: 'Ann Lee' })
  await meeting.room('Red').join({ name: 'Ben' })
  await page.locator('main').getByText('Ann Lee').waitFor()
  meeting.move('Red')
  await page.getByRole('dialog').getByText('Red').waitFor()
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.locator('main').getByText('Ben').waitFor()
  expect(await page.locator('main').getByText('Ann Lee').count()).toBe(0)
  expect(await page.title()).toBe('Meet - Red')
  await page.getByRole('button', { name: 'Return to main call' }).waitFor()
  expect(meeting.inside()).toMatchObject([{ room: 'Red' }])
  meeting.move(null)
  await page.getByText('Breakout rooms are closing').waitFor()
  await page.locator('main').getByText('Ann Lee').waitFor()
  expect(await page.getByRole('button', { name: 'Return to main call' }).count()).toBe(0)
  expect(meeting.inside()).toMatchObject([{ room: '' }])
})

test('shows a presentation as a tile although the roster is refused, and asks a host before leaving', async () => {
  const { meeting, page } = await joined({ sync: 'rate_limited', geminiPill: true, asHost: true })
  const ann = await meeting.space.join({ name: 'Ann Lee' })
  const shared = await ann.share('#f2d024')
  await seesColour(page, 'Ann Lee (Presenting)', [242, 208, 36])
  expect(await page.locator('main [data-participant-id]').count()).toBe(3)
  await page.locator(`main [data-participant-id="${shared}"]`).waitFor()
  await page.getByText('Gemini is taking notes').waitFor()
  await page.mouse.move(300, 300)
  await page.getByRole('button', { name: 'Leave call' }).click()
  await page.getByRole('button', { name: 'Just leave the call' }).click()
  await until('it is gone', () => meeting.inside().length === 0)
  expect(presses(meeting)).toEqual(['join', 'leave', 'just_leave'])
})
