// The driver of Zoom's web client by itself, against a simulated Zoom.
import { type Differences, type Meeting, startZoom, type Zoom } from '../../../sims/zoom/zoom.ts'
import { type Browser, launchBrowser } from '../../../src/bot/drivers/browser.ts'
import { createBrowserDriver } from '../../../src/bot/drivers/browser-meeting/driver.ts'
import type { MeetingClient } from '../../../src/bot/drivers/browser-meeting/meeting-client.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { zoomWeb } from '../../../src/bot/drivers/zoom-web/client.ts'
import { createOutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { type MeetingLink, parseMeetingLink } from '../../../src/domain/meeting-link.ts'
import { workerTools } from './driver-tools.ts'

type Options = { readonly client?: MeetingClient; readonly now?: () => number }

export class ZoomWebBench {
  readonly zoom: Zoom
  readonly #browser: Browser

  static async open(): Promise<ZoomWebBench> {
    const zoom = await startZoom()
    return new ZoomWebBench(zoom, await launchBrowser(undefined, zoom.flags))
  }

  private constructor(zoom: Zoom, browser: Browser) {
    this.zoom = zoom
    this.#browser = browser
  }

  async close(): Promise<void> {
    await this.#browser.close()
    await this.zoom.stop()
  }

  meeting(differences: Differences = {}): Meeting {
    return this.zoom.meeting(differences)
  }

  /** A driver that has not opened the meeting yet. The caller makes it leave. */
  driver(link: string, { client = zoomWeb, now = Date.now }: Options = {}): Promise<MeetingDriver> {
    const spec: Partial<BotSpec> = { name: 'Note taker', meeting: parseMeetingLink(link) as MeetingLink, leave: LEAVE_DEFAULTS }
    const scripts = [createOutgoingMedia().initScript]
    const tools = { ...workerTools(), browser: this.#browser, display: null, scripts, spec: spec as BotSpec, now }
    return createBrowserDriver(client, tools)
  }
}
