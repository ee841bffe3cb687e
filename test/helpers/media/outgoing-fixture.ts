// A built-in room with one person and a page that is the bot. The bot's output is measured at the person.
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, startPeople } from '../../../sims/room/people.ts'
import type { Person } from '../../../sims/room/person.ts'
import { createOutgoingMedia, type OutgoingMedia, type PageRunner } from '../../../src/bot/outgoing/outgoing.ts'
import { startRoomServer } from '../meetings/room.ts'

export const BOT = 'Bot'

export type OutgoingFixture = {
  readonly browser: Browser
  readonly media: OutgoingMedia
  readonly ada: Person
  readonly page: Page
  readonly run: PageRunner
  readonly roomUrl: string
  /** Presses a control of the bot's page. */
  press(control: 'camera' | 'microphone', on: boolean): Promise<void>
  close(): Promise<void>
}

export async function startOutgoingFixture(): Promise<OutgoingFixture> {
  const [server, browser] = await Promise.all([startRoomServer(), launchBrowser()])
  const roomUrl = `${server.url}/room/outgoing`
  const people = await startPeople({ browser, roomUrl, people: [{ name: 'Ada', colour: '#2255cc' }] })
  await people.played
  const media = createOutgoingMedia()
  const context = await browser.newContext({ permissions: ['microphone', 'camera'] })
  await context.addInitScript({ content: media.initScript })
  const page = await context.newPage()
  await page.goto(`${roomUrl}?name=${BOT}&join=1&bot=1&mic=0&cam=0`)
  await page.getByTestId('call').waitFor()
  return {
    browser,
    media,
    ada: people.named('Ada'),
    page,
    run: (expression) => page.evaluate(expression),
    roomUrl,
    async press(control, on) {
      const button = page.getByTestId(control)
      if ((await button.getAttribute('aria-pressed')) !== String(on)) await button.click()
      await page.locator(`[data-testid="${control}"][aria-pressed="${on}"]`).waitFor()
    },
    async close() {
      await context.close()
      await people.stop()
      await browser.close()
      await server.stop()
    },
  }
}
