// One bot's page in the shared browser, for all drivers.
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { createTurns } from '../../../kit/in-turn.ts'
import type { Display } from '../display.ts'
import { PageLog } from './page-log.ts'

/** Evidence of a hanging page times out soon: the bot must rejoin quickly. */
const EVIDENCE_WITHIN_MS = 3_000
const CLOSE_WITHIN_MS = 2_000
/** Of every screenshot, and of every page without a size of its own. */
const VIEWPORT: Viewport = { width: 1280, height: 720 }

export type Viewport = { readonly width: number; readonly height: number }

export type PageOptions = {
  /** The display of a headed browser; null: headless. */
  readonly display: Display | null
  /** The size of a headless page; null: the usual one. */
  readonly viewport: Viewport | null
  /** Origins of the meeting. They get the bot's own microphone and camera. */
  readonly origins: readonly string[]
  /** Injected into every page and frame before its own code. */
  readonly scripts: readonly string[]
  /** Set up before the page is opened. On an open page each would take several round trips. */
  readonly furnish: (context: BrowserContext) => Promise<unknown>
}

export class MeetingPage {
  readonly page: Page
  /** The page has crashed or was closed by the browser, not by the driver. */
  died = false
  /** Errors and console lines of the page. */
  readonly log: PageLog
  /** The frame of the client. */
  frame: () => Frame
  readonly #context: BrowserContext
  /** The size of a page that screenshots enlarge. */
  readonly #small: Viewport | null
  /** Two at once would leave the page enlarged. */
  readonly #inTurn = createTurns()

  static async open(browser: Browser, { display, viewport, origins, scripts, furnish }: PageOptions): Promise<MeetingPage> {
    // A headed window has its own size. Without the CSP bypass the page could forbid the recording's worker and its socket to this machine.
    const context = await browser.newContext({ viewport: display ? null : (viewport ?? VIEWPORT), locale: 'en-US', bypassCSP: true })
    await Promise.all([
      ...origins.map((origin) => context.grantPermissions(['microphone', 'camera', 'local-network-access'], { origin })),
      ...scripts.map((content) => context.addInitScript({ content })),
      furnish(context),
    ])
    const page = await context.newPage()
    if (display) await sizeWindow(context, page)
    return new MeetingPage(context, page, display ? null : viewport)
  }

  private constructor(context: BrowserContext, page: Page, small: Viewport | null) {
    this.#context = context
    this.#small = small
    this.page = page
    this.frame = () => page.mainFrame()
    this.log = new PageLog(page)
  }

  complaints(): readonly string[] {
    return this.log.lines()
  }

  onDied(notify: () => void): void {
    const die = (): void => {
      this.died = true
      notify()
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
    return orNull(this.frame().innerText('body', { timeout: EVIDENCE_WITHIN_MS }))
  }

  picture(withinMs = EVIDENCE_WITHIN_MS): Promise<Buffer | null> {
    return Promise.race([orNull(this.#inTurn(() => this.#capture())), after(withinMs)])
  }

  async #capture(): Promise<Buffer> {
    const session = await this.#context.newCDPSession(this.page)
    const clip = this.#small && { x: 0, y: 0, ...this.#small, scale: VIEWPORT.width / this.#small.width }
    try {
      const { data } = await session.send('Page.captureScreenshot', { format: 'jpeg', quality: 70, ...(clip && { clip }) })
      return Buffer.from(data, 'base64')
    } finally {
      await session.detach()
    }
  }

  /** Does not wait for a hanging page. */
  async close(): Promise<void> {
    this.page.removeAllListeners('close')
    await Promise.race([orNull(this.#context.close()), after(CLOSE_WITHIN_MS)])
  }
}

/** Gives a headed page the same viewport as a headless one, so that screenshots and received video sizes are equal. */
async function sizeWindow(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const frame = await page.evaluate('({ width: outerWidth - innerWidth, height: outerHeight - innerHeight })')
  const { width, height } = frame as Viewport
  const bounds = { left: 0, top: 0, width: VIEWPORT.width + width, height: VIEWPORT.height + height }
  await session.send('Browser.setWindowBounds', { windowId, bounds })
  await session.detach()
}

function after(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, ms, null).unref())
}

/** A page that is gone or hangs returns null. */
function orNull<Value>(promise: Promise<Value>): Promise<Value | null> {
  return promise.catch(() => null)
}
