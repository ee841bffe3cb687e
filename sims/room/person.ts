// One person in the room: a real browser page, driven by the controls that a human has.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type FakeDevices, fakeDevicesScript } from './fake-devices.ts'
import { type Sight, sightsOf, type Voice, voicesOf } from './observations.ts'

export type PersonOptions = {
  readonly browser: Browser
  readonly roomUrl: string
  readonly name: string
  readonly devices: FakeDevices
  /** Added to the room's address, for example `{ lobby: '1' }`. */
  readonly query: Readonly<Record<string, string>>
  readonly viewport: { readonly width: number; readonly height: number }
}

/** An `emissary-room` event of the page, without values that cannot leave the page. */
export type SeenEvent = { readonly kind: string; readonly [field: string]: unknown }

export class Person {
  readonly name: string
  readonly page: Page
  readonly events: SeenEvent[] = []
  readonly chat: { readonly name: string; readonly text: string }[] = []
  readonly #address: string

  static async create(options: PersonOptions): Promise<Person> {
    const { browser, roomUrl, viewport, devices } = options
    // With this permission, ICE uses real addresses, so no mDNS is needed.
    const context = await browser.newContext({ viewport, permissions: ['microphone', 'camera'] })
    await context.addInitScript({ content: fakeDevicesScript(devices) })
    const address = new URL(roomUrl)
    for (const [name, value] of Object.entries(options.query)) address.searchParams.set(name, value)
    const person = new Person(options.name, address.href, await context.newPage())
    await person.#follow(context)
    return person
  }

  private constructor(name: string, address: string, page: Page) {
    this.name = name
    this.#address = address
    this.page = page
  }

  async join(): Promise<void> {
    await this.page.goto(this.#address)
    await this.page.getByTestId('name').fill(this.name)
    await this.page.getByTestId('join').click()
    await this.page.getByTestId('call').or(this.page.getByTestId('waiting')).or(this.page.getByTestId('over')).waitFor()
  }

  mute = () => this.#switch('microphone', false)
  unmute = () => this.#switch('microphone', true)
  stopCamera = () => this.#switch('camera', false)
  startCamera = () => this.#switch('camera', true)
  share = () => this.#switch('screen', true)
  stopSharing = () => this.#switch('screen', false)
  leave = () => this.page.getByTestId('leave').click()
  closeTab = () => this.page.close({ runBeforeUnload: false })

  async endForAll(): Promise<void> {
    await this.page.getByTestId('end').click()
    await this.page.getByTestId('confirm-end').click()
  }

  async write(text: string): Promise<void> {
    await this.#open('chat')
    await this.page.getByTestId('chat-text').fill(text)
    await this.page.getByTestId('chat-send').click()
  }

  async decide(what: 'admit' | 'refuse', name: string): Promise<void> {
    await this.page.locator(`[data-testid="knock"][data-name="${name}"]`).getByTestId(what).click()
  }

  async remove(name: string): Promise<void> {
    await this.#open('people')
    await this.page.locator(`[data-testid="person"][data-name="${name}"]`).getByTestId('remove').click()
  }

  /** Resolves at the end of the speech. */
  async speak(wav: Buffer): Promise<void> {
    await this.page.evaluate((words) => (globalThis as unknown as { say(words: string): Promise<void> }).say(words), wav.toString('base64'))
  }

  /** A clapperboard: video and audio of one moment, to compare recordings with. Returns the moment. */
  clap(): Promise<number> {
    return this.page.evaluate(() => (globalThis as unknown as { clap(): number }).clap())
  }

  sees(): Promise<Sight[]> {
    return sightsOf(this.page)
  }

  listen(...frequencies: number[]): Promise<Voice[]> {
    return voicesOf(this.page, frequencies)
  }

  async stop(): Promise<void> {
    await this.page.context().close()
  }

  async #open(panel: 'chat' | 'people'): Promise<void> {
    const button = this.page.getByTestId(`toggle-${panel}`)
    if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click()
  }

  async #switch(control: string, on: boolean): Promise<void> {
    const button = this.page.getByTestId(control)
    if ((await button.getAttribute('aria-pressed')) !== String(on)) await button.click()
    await this.page.locator(`[data-testid="${control}"][aria-pressed="${on}"]`).waitFor()
  }

  async #follow(context: BrowserContext): Promise<void> {
    await context.exposeFunction('noted', (event: SeenEvent) => {
      this.events.push(event)
      if (event.kind === 'chat') this.chat.push(event.line as { name: string; text: string })
    })
    await context.addInitScript(() => {
      globalThis.addEventListener('emissary-room', (event) => {
        const { detail } = event as unknown as { detail: SeenEvent }
        const { track, ...plain } = detail
        ;(globalThis as unknown as { noted(event: unknown): void }).noted(track ? { kind: 'track', of: (track as SeenEvent).kind } : plain)
      })
    })
  }
}
