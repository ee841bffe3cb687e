// One bot's page in the shared browser: what every driver in a browser can do, whatever the platform.
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import type { Display } from '../display.ts'
import { PageLog } from './page-log.ts'

/** A page that hangs is not waited for: the bot has to be back soon. */
const TEXT_WITHIN_MS = 1_500
const PICTURE_WITHIN_MS = 3_000
const CLOSE_WITHIN_MS = 2_000
const VIEWPORT = { width: 1280, height: 720 }

export type PageOptions = {
  /** Where the browser has its windows; null: it is headless. */
  readonly display: Display | null
  /** Where the meeting may be: there the page gets microphone and camera, which are the bot's own. */
  readonly origins: readonly string[]
  /** Put into every page and frame before its own code. */
  readonly scripts: readonly string[]
  /** What else the page must have before it is opened. On a page that is open already, each would take the browser several turns. */
  readonly furnish: (context: BrowserContext) => Promise<unknown>
}

export class MeetingPage {
  readonly page: Page
  /** The page is no more, though nobody closed it: its process died, or the whole browser. */
  died = false
  /** Errors and console lines of the page. */
  readonly log: PageLog
  /** Where the client itself is. */
  frame: () => Frame
  readonly #context: BrowserContext

  static async open(browser: Browser, { display, origins, scripts, furnish }: PageOptions): Promise<MeetingPage> {
    // A window has a size of its own. The recording's script runs a worker and speaks to this machine, which a page's own policy would forbid.
    const context = await browser.newContext({ viewport: display ? null : VIEWPORT, locale: 'en-US', bypassCSP: true })
    await Promise.all([
      ...origins.map((origin) => context.grantPermissions(['microphone', 'camera', 'local-network-access'], { origin })),
      ...scripts.map((content) => context.addInitScript({ content })),
      furnish(context),
    ])
    const page = await context.newPage()
    if (display) await sizeWindow(context, page)
    return new MeetingPage(context, page)
  }

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context
    this.page = page
    this.frame = () => page.mainFrame()
    this.log = new PageLog(page)
  }

  complaints(): readonly string[] {
    return this.log.lines()
  }

  onDied(tell: () => void): void {
    const die = (): void => {
      this.died = true
      tell()
    }
    this.page.once('crash', die)
    this.page.once('close', die)
  }

  run(expression: string): Promise<unknown> {
    return this.frame().evaluate(expression)
  }

  async touch(): Promise<void> {
    await this.page.evaluate('0')
  }

  text(): Promise<string | null> {
    return orNull(this.frame().innerText('body', { timeout: TEXT_WITHIN_MS }))
  }

  picture(withinMs = PICTURE_WITHIN_MS): Promise<Buffer | null> {
    return orNull(this.page.screenshot({ type: 'jpeg', quality: 70, timeout: withinMs }))
  }

  /** Whatever state it is in: a page that hangs is not waited for. */
  async close(): Promise<void> {
    this.page.removeAllListeners('close')
    await Promise.race([orNull(this.#context.close()), new Promise((resolve) => setTimeout(resolve, CLOSE_WITHIN_MS).unref())])
  }
}

/** So that the page is as large as without a window: pictures of it are the same, and so is what the platform sends. */
async function sizeWindow(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const frame = await page.evaluate('({ width: outerWidth - innerWidth, height: outerHeight - innerHeight })')
  const { width, height } = frame as typeof VIEWPORT
  const bounds = { left: 0, top: 0, width: VIEWPORT.width + width, height: VIEWPORT.height + height }
  await session.send('Browser.setWindowBounds', { windowId, bounds })
  await session.detach()
}

/** A page that is gone or hangs has nothing to tell: that is why one asks. */
function orNull<Value>(promise: Promise<Value>): Promise<Value | null> {
  return promise.catch(() => null)
}
