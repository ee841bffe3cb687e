/// <reference lib="dom" />
// A plain browser that reaches the simulated web client of Zoom.
import { type BrowserContext, chromium, type Frame, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { type Differences, type Meeting, startZoom, type Zoom } from '../../../sims/zoom/zoom.ts'

type Visited = { readonly meeting: Meeting; readonly page: Page }

export type ZoomSite = {
  readonly zoom: Zoom
  /** A meeting of its own, and a page that has opened the link to it. */
  visit(differences?: Differences): Promise<Visited>
  newPage(): Promise<Page>
  close(): Promise<void>
}

const FLAGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--mute-audio'],
  ...['--allow-loopback-in-peer-connection', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
]

export async function openZoomSite(locale = 'en-US'): Promise<ZoomSite> {
  const zoom = await startZoom()
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...zoom.flags] })
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1280, height: 720 }, locale })
  await context.grantPermissions(['microphone', 'camera'], { origin: 'https://app.zoom.us' })
  const newPage = async () => {
    const page = await context.newPage()
    onTestFinished(() => page.close())
    return page
  }
  return {
    zoom,
    newPage,
    async visit(differences) {
      const meeting = zoom.meeting(differences)
      const page = await newPage()
      await page.goto(meeting.url, { waitUntil: 'domcontentloaded' })
      return { meeting, page }
    },
    async close() {
      await browser.close()
      await zoom.stop()
    },
  }
}

/** Types a name and presses Join, which an overlay covers. */
export async function askToJoin(page: Page | Frame, name = 'Notetaker'): Promise<void> {
  await page.locator('#input-for-name').pressSequentially(name)
  await page.locator('button.preview-join-button:enabled').evaluate((button: HTMLElement) => button.click())
}
