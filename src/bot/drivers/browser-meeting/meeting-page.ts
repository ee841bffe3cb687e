// One bot's page in the shared browser, for all drivers.
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Cookie, Frame, Page } from 'playwright-core'
import { createSerialQueue } from '../../../kit/serial-queue.ts'
import type { OpenBrowser, Viewport } from '../driver.ts'
import { PageLog } from './page-log.ts'

/** Evidence of a hanging page times out soon: the bot must rejoin quickly. */
const EVIDENCE_WITHIN_MS = 3_000
const CLOSE_WITHIN_MS = 2_000
/** Of every screenshot, and of every page without a size of its own. */
const VIEWPORT: Viewport = { width: 1280, height: 720 }

export type PageOptions = {
  /** The size of a headless page; null: the usual one. */
  readonly viewport: Viewport | null
  /** Origins of the meeting. They get the bot's own microphone and camera. */
  readonly origins: readonly string[]
  /** Injected into every page and frame before its own code. */
  readonly scripts: readonly string[]
  /** Set up before the page is opened. On an open page each would take several round trips. */
  readonly furnish: (context: BrowserContext) => Promise<unknown>
}

/** `small`: the size of a page that screenshots enlarge. */
type Opened = { readonly context: BrowserContext; readonly page: Page; readonly small: Viewport | null }

export class MeetingPage {
  /** The page has crashed or was closed by the browser, not by the driver. */
  died = false
  /** Errors and console lines of the page. */
  readonly log: PageLog
  /** The frame of the client. */
  frame: () => Frame
  readonly #options: PageOptions
  #opened: Opened
  #isClosed = false
  #notifyDied = (): void => undefined
  /** Two at once would leave the page enlarged. */
  readonly #serially = createSerialQueue()

  static async open(browser: OpenBrowser, options: PageOptions): Promise<MeetingPage> {
    return new MeetingPage(options, await openPage(browser, options))
  }

  private constructor(options: PageOptions, opened: Opened) {
    this.#options = options
    this.#opened = opened
    this.frame = () => this.page.mainFrame()
    this.log = new PageLog(this.page)
    this.#watch()
  }

  get page(): Page {
    return this.#opened.page
  }

  /** Continues on a new page, in a context with these cookies only. Returns the browser of the page. */
  async renew(browser: () => Promise<OpenBrowser>, cookies: readonly Cookie[]): Promise<OpenBrowser> {
    const { context, page } = this.#opened
    // The browser of the old page may be closed.
    for (const event of ['close', 'crash'] as const) page.removeAllListeners(event)
    let opened: OpenBrowser
    try {
      opened = await browser()
      this.#opened = await openPage(opened, this.#options)
      await this.#opened.context.addCookies([...cookies])
    } catch (error) {
      this.died = true
      throw error
    } finally {
      await closeContext(context)
    }
    this.log.follow(this.page)
    this.#watch()
    // The bot left in the meantime.
    if (this.#isClosed) await this.close()
    return opened
  }

  #watch(): void {
    const die = (): void => {
      this.died = true
      this.#notifyDied()
    }
    this.page.once('crash', die)
    this.page.once('close', die)
  }

  complaints(): readonly string[] {
    return this.log.lines()
  }

  onDied(notify: () => void): void {
    this.#notifyDied = notify
  }

  run(expression: string): Promise<unknown> {
    return this.frame().evaluate(expression)
  }

  async touch(): Promise<void> {
    await this.page.evaluate('0')
  }

  text(): Promise<string | null> {
    return orNull(this.frame().innerText('body', { timeout: EVIDENCE_WITHIN_MS }))
  }

  picture(withinMs = EVIDENCE_WITHIN_MS): Promise<Buffer | null> {
    return Promise.race([orNull(this.#serially(() => this.#capture())), delay(withinMs, null, { ref: false })])
  }

  async #capture(): Promise<Buffer> {
    const { context, page, small } = this.#opened
    const session = await context.newCDPSession(page)
    const clip = small && { x: 0, y: 0, ...small, scale: VIEWPORT.width / small.width }
    try {
      const { data } = await session.send('Page.captureScreenshot', { format: 'jpeg', quality: 70, ...(clip && { clip }) })
      return Buffer.from(data, 'base64')
    } finally {
      await session.detach()
    }
  }

  /** Does not wait for a hanging page. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.page.removeAllListeners('close')
    await closeContext(this.#opened.context)
  }
}

async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.race([orNull(context.close()), delay(CLOSE_WITHIN_MS, null, { ref: false })])
}

async function openPage({ browser, display }: OpenBrowser, options: PageOptions): Promise<Opened> {
  const { viewport } = options
  // A headed window has its own size. Without the CSP bypass the page could forbid the recording's worker and its socket to this machine.
  const context = await browser.newContext({ viewport: display ? null : (viewport ?? VIEWPORT), bypassCSP: true })
  try {
    return { context, page: await openIn(context, display, options), small: display ? null : viewport }
  } catch (error) {
    // Other bots keep the browser open for days.
    await closeContext(context)
    throw error
  }
}

async function openIn(context: BrowserContext, display: OpenBrowser['display'], { origins, scripts, furnish }: PageOptions): Promise<Page> {
  await Promise.all([...scripts.map((content) => context.addInitScript({ content })), furnish(context)])
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  await Promise.all([...origins.map((origin) => context.grantPermissions(PERMISSIONS, { origin })), display && sizeWindow(session, page)])
  await session.detach()
  return page
}

/** Gives a headed page the same viewport as a headless one, so that screenshots and received video sizes are equal. */
async function sizeWindow(session: CDPSession, page: Page): Promise<void> {
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const frame = await page.evaluate('({ width: outerWidth - innerWidth, height: outerHeight - innerHeight })')
  const { width, height } = frame as Viewport
  const bounds = { left: 0, top: 0, width: VIEWPORT.width + width, height: VIEWPORT.height + height }
  await session.send('Browser.setWindowBounds', { windowId, bounds })
}

/** The last one is for the recording's socket to this machine. No person answers a question about the others, which Playwright then denies. */
const PERMISSIONS = ['microphone', 'camera', 'local-network-access']

/** A page that is gone or hangs returns null. */
function orNull<Value>(promise: Promise<Value>): Promise<Value | null> {
  return promise.catch(() => null)
}
