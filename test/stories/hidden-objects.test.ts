// The bot's code in a page of a browser by itself: what becomes of it when the page writes its document anew.
import { expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../../src/bot/drivers/browser.ts'
import { openClientPage } from '../../src/bot/drivers/browser-meeting/client-page.ts'
import { Tab } from '../../src/bot/drivers/browser-meeting/tab.ts'
import { Witness } from '../../src/bot/drivers/browser-meeting/witness.ts'
import { googleMeet } from '../../src/bot/drivers/google-meet/client.ts'
import { openForFile } from '../helpers/for-file.ts'
import { until } from '../helpers/until.ts'

const LONG = 60_000
const browser = openForFile(() => launchBrowser(undefined, []))

test('observes, presses and reports after the page has opened its document again', { timeout: LONG }, async () => {
  const reports: unknown[] = []
  const witness = new Witness({ client: googleMeet, withPictures: false, now: Date.now })
  const { page, observers } = await openClientPage(googleMeet, {
    browser: { browser, display: null },
    origins: [],
    scripts: [],
    receive: (report) => reports.push(report),
    witness,
  })
  onTestFinished(() => page.close())
  await page.page.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: '<!doctype html><p>First' }))
  await page.page.goto('https://meet.google.com/abc-defg-hij')
  await page.page.evaluate(`
    document.open()
    document.write('<!doctype html><input aria-label="Your name"><button onclick="this.dataset.clicks = 1 + Number(this.dataset.clicks ?? 0)">Ask to join</button>')
    document.close()
    fetch('/MeetingSpaceService/SyncMeetingSpaceCollections')
    new RTCPeerConnection().setLocalDescription()
  `)
  const tab = new Tab({ page: () => page.page, observers, pageRules: googleMeet.pageRules, isGone: () => false })
  expect((await tab.look()).text).toBe('ask to join')
  expect(await tab.press('join')).toBe(true)
  expect(await page.page.getAttribute('button', 'data-clicks')).toBe('1')
  await until('the driver has a report', () => reports.length > 0)
  expect(reports).toEqual([{ kind: 'sync', data: '<!doctype html><p>First' }])
  await until('the witness has a description', () => witness.steps.some(({ kind }) => kind === 'description'))
})
