// A service whose bots find Zoom on this machine, and the driver alone, with the double of the Meeting SDK.
import { rm } from 'node:fs/promises'
import { expect } from 'vitest'
import { type Differences, type Meeting, startZoom, type Zoom } from '../../sims/zoom/zoom.ts'
import { type Browser, launchBrowser } from '../../src/bot/drivers/browser.ts'
import type { DriverTools, MeetingDriver } from '../../src/bot/drivers/driver.ts'
import { createZoomDriver } from '../../src/bot/drivers/zoom/driver.ts'
import { createOutgoingMedia } from '../../src/bot/outgoing/outgoing.ts'
import { writePageBundles } from '../../src/bot/page-bundles.ts'
import { LEAVE_DEFAULTS } from '../../src/domain/automatic-leave.ts'
import type { BotId, BotSpec } from '../../src/domain/bot.ts'
import { parseMeetingLink } from '../../src/domain/meeting-link.ts'
import { createOutgoing } from '../../src/kit/outgoing.ts'
import { zoomSignature } from '../../src/service/accounts/zoom-app.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { startTestService, type TestService } from './service.ts'
import { until } from './until.ts'

/** Our own pages first: a bundler that was loaded with worker threads never answers a synchronous request. */
async function makeSdk(): Promise<string> {
  writePageBundles()
  return (await import('../../sims/zoom/sdk-folder.ts')).makeSdkFolder()
}

export class ZoomStage {
  readonly zoom: Zoom
  readonly service: TestService
  readonly hook: Receiver
  readonly #sdk: string

  /** `sendsToItself`: the page must find itself over the network, which the simulators' browsers are kept from. */
  static async open(settings: Record<string, string> = {}, { sendsToItself = false } = {}): Promise<ZoomStage> {
    const [zoom, sdk] = await Promise.all([startZoom(), makeSdk()])
    const service = await startTestService({
      CHROMIUM_FLAGS: zoom.flags
        .filter((flag) => !(sendsToItself && flag.startsWith('--webrtc-ip-handling-policy')))
        .map((flag) => `"${flag}"`)
        .join(' '),
      ...{ BOTS_PER_HOST: '8', BOT_HOSTS: '1' },
      ...{ ZOOM_SDK_KEY: zoom.app.key, ZOOM_SDK_SECRET: zoom.app.secret, ZOOM_SDK_FOLDER: sdk },
      ...settings,
    })
    return new ZoomStage(zoom, service, await startReceiver(), sdk)
  }

  private constructor(zoom: Zoom, service: TestService, hook: Receiver, sdk: string) {
    this.zoom = zoom
    this.service = service
    this.hook = hook
    this.#sdk = sdk
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.zoom.stop()
    await this.hook.close()
    await rm(this.#sdk, { recursive: true, force: true })
  }

  async send({ url }: Pick<Meeting, 'url'>, body: object = {}): Promise<string> {
    const given = { meeting_link: url, callback_url: `${this.hook.url}/zoom`, ...body }
    const answer = await this.service.api('POST', '/api/v1/bots/create_bot', given)
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    return answer.body.bot_id
  }

  detail = async (id: string) => (await this.service.api('GET', `/api/v1/bots/${id}/detail`)).body.bot_details
  read = async (id: string, what: string) => (await this.service.api('GET', `/api/v1/bots/${id}/${what}`)).body
  command = (id: string, name: string, body?: object) => this.service.api('POST', `/api/v1/bots/${id}/${name}`, body)
  remove = (id: string) => this.service.api('GET', `/api/v1/bots/${id}/remove_bot`)

  /** The bot's record, once its timeline has the stage. */
  async has(id: string, stage: string, withinMs = 60_000) {
    await until(`the bot reaches ${stage}`, async () => stage in (await this.detail(id)).StatusTimeline, withinMs)
    return this.detail(id)
  }
}

type Wish = Partial<Pick<DriverTools, 'now' | 'signIn' | 'sdkFolder'>> & { readonly token?: BotSpec['zoomToken'] }

/** The driver alone in one browser, without a service: most states need no more. */
export class ZoomBench {
  readonly zoom: Zoom
  readonly browser: Browser
  readonly #sdk: string
  readonly #outgoing = createOutgoing({ allowPrivate: true })

  static async open(): Promise<ZoomBench> {
    const [zoom, sdk] = await Promise.all([startZoom(), makeSdk()])
    return new ZoomBench(zoom, sdk, await launchBrowser(undefined, zoom.flags))
  }

  private constructor(zoom: Zoom, sdk: string, browser: Browser) {
    this.zoom = zoom
    this.#sdk = sdk
    this.browser = browser
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.zoom.stop()
    await this.#outgoing.close()
    await rm(this.#sdk, { recursive: true, force: true })
  }

  meeting(differences?: Differences): Meeting {
    return this.zoom.meeting(differences)
  }

  /** A bot that has not gone anywhere yet. Whoever takes it makes it leave. */
  driver(link: string, { token = null, ...wish }: Wish = {}): Promise<MeetingDriver> {
    const meeting = parseMeetingLink(link)
    if (meeting.kind !== 'link' || meeting.platform !== 'zoom') throw new Error(`${link} is no link to a Zoom meeting`)
    const spec: Partial<BotSpec> = { name: 'Note taker', meeting, leave: LEAVE_DEFAULTS }
    const signature = zoomSignature(this.zoom.app, meeting.meetingNumber ?? '', new Date())
    return createZoomDriver({
      ...{ browser: this.browser, display: null, botId: 'bot_1' as BotId, spec: spec as BotSpec, outgoing: this.#outgoing },
      ...{ signIn: { kind: 'zoom_app', sdkKey: this.zoom.app.key, signature, token }, sdkFolder: this.#sdk },
      ...{ tables: null, now: Date.now, scripts: [createOutgoingMedia().initScript], ...wish },
    })
  }
}
