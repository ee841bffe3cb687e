// A service whose bots reach the simulated Zoom, and the driver by itself, both with the double of the Meeting SDK.
import { rm } from 'node:fs/promises'
import { type Differences, type Meeting, startZoom, type Zoom } from '../../../sims/zoom/zoom.ts'
import { type Browser, launchBrowser } from '../../../src/bot/drivers/browser.ts'
import type { DriverTools, MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { createZoomSdkDriver } from '../../../src/bot/drivers/zoom-sdk/driver.ts'
import { createOutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { writePageBundles } from '../../../src/bot/worker/prebuild-pages.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import { parseMeetingLink } from '../../../src/domain/meeting-link.ts'
import { createHttpClient } from '../../../src/kit/http-client.ts'
import { zoomSignature } from '../../../src/service/accounts/zoom-app.ts'
import { workerTools } from './driver-tools.ts'
import { openStage, PlatformStage, type StageParts } from './platform-stage.ts'

/** Bundles our own pages first: esbuild with worker threads never answers a synchronous request. */
async function makeSdk(): Promise<string> {
  writePageBundles()
  return (await import('../../../sims/zoom/sdk-folder.ts')).makeSdkFolder()
}

/** `sendsToItself`: the page connects to itself, which the one network path of the simulators' browsers prevents. */
function flagsFor({ flags }: Zoom, sendsToItself: boolean): string[] {
  return flags.filter((flag) => !(sendsToItself && flag.startsWith('--webrtc-ip-handling-policy')))
}

export class ZoomStage extends PlatformStage {
  readonly zoom: Zoom
  readonly #sdk: string

  static async open(settings: Record<string, string> = {}, { sendsToItself = false } = {}): Promise<ZoomStage> {
    const [zoom, sdk] = await Promise.all([startZoom(), makeSdk()])
    const app = { ZOOM_SDK_KEY: zoom.app.key, ZOOM_SDK_SECRET: zoom.app.secret, ZOOM_SDK_FOLDER: sdk }
    return new ZoomStage(zoom, sdk, await openStage(flagsFor(zoom, sendsToItself), { ...app, ...settings }))
  }

  private constructor(zoom: Zoom, sdk: string, parts: StageParts) {
    super(parts)
    this.zoom = zoom
    this.#sdk = sdk
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.zoom.stop()
    await this.hook.close()
    await rm(this.#sdk, { recursive: true, force: true })
  }
}

export type DriverOptions = Partial<Pick<DriverTools, 'now' | 'scripts'>> & { readonly token?: BotSpec['zoomToken'] }

/** The driver by itself in one browser, without a service. */
export class ZoomBench {
  readonly zoom: Zoom
  readonly browser: Browser
  /** The folder of the SDK's double. */
  readonly sdk: string
  readonly #http = createHttpClient({ allowPrivate: true })

  static async open({ sendsToItself = false } = {}): Promise<ZoomBench> {
    const [zoom, sdk] = await Promise.all([startZoom(), makeSdk()])
    return new ZoomBench(zoom, sdk, await launchBrowser(undefined, flagsFor(zoom, sendsToItself)))
  }

  private constructor(zoom: Zoom, sdk: string, browser: Browser) {
    this.zoom = zoom
    this.sdk = sdk
    this.browser = browser
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.zoom.stop()
    await this.#http.close()
    await rm(this.sdk, { recursive: true, force: true })
  }

  meeting(differences?: Differences): Meeting {
    return this.zoom.meeting(differences)
  }

  /** A driver that has not joined yet. The caller makes it leave. */
  driver(link: string, { token = null, scripts = [], ...options }: DriverOptions = {}): Promise<MeetingDriver> {
    const meeting = parseMeetingLink(link)
    if (meeting.kind !== 'link' || meeting.platform !== 'zoom') throw new Error(`${link} is no link to a Zoom meeting`)
    const spec: Partial<BotSpec> = { name: 'Note taker', meeting, leave: LEAVE_DEFAULTS }
    const signature = zoomSignature(this.zoom.app, meeting.meetingNumber ?? '', new Date())
    return createZoomSdkDriver({
      ...workerTools(),
      browser: this.browser,
      display: null,
      spec: spec as BotSpec,
      http: this.#http,
      signIn: { kind: 'zoom_app', sdkKey: this.zoom.app.key, signature, token },
      sdkFolder: this.sdk,
      scripts: [createOutgoingMedia().initScript, ...scripts],
      ...options,
    })
  }
}
