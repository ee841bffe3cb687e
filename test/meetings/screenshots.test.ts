import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../sims/room/people.ts'
import { MeetingPage } from '../../src/bot/drivers/browser-meeting/meeting-page.ts'

test('keeps the size of a page that gives several enlarged screenshots at once', async () => {
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const viewport = { width: 960, height: 540 }
  const page = await MeetingPage.open({ browser, display: null }, { viewport, origins: [], scripts: [], furnish: async () => undefined })
  const pictures = await Promise.all([page.picture(), page.picture(), page.picture()])
  expect(pictures.every((picture) => picture !== null)).toBe(true)
  expect(await page.run('({ width: innerWidth, height: innerHeight })')).toEqual(viewport)
})
