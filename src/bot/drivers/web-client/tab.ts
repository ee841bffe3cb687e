// The bot's tab: takes snapshots of the page and presses its controls.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ElementHandle, Frame, Page } from 'playwright-core'
import { Failure } from '../../../kit/failure.ts'
import { type Facts, factsOf, isEmpty } from './facts.ts'
import type { Pointer } from './page/pointer.ts'
import type { PageNames } from './page/start.ts'
import { screenOf } from './screens.ts'
import type { ControlName, PlatformTables, Screen, Signal, Stage } from './tables.ts'

/** A hanging page times out: the next look comes soon. */
const LOOK_WITHIN_MS = 5_000
const PRESS_WITHIN_MS = 2_000
const TYPE_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 250

type TabTools = {
  readonly page: Page
  /** The global of the page-side observers. */
  readonly global: string
  readonly tables: PlatformTables
  readonly isGone: () => boolean
  /** The screen, where the page itself publishes it. */
  readonly published?: () => Screen | null
}

export class Tab {
  readonly page: Page
  readonly #global: string
  readonly #tables: PlatformTables
  readonly #isGone: () => boolean
  readonly #published: () => Screen | null
  readonly #hasNotices: boolean
  /** The page has sent a report since the last look. */
  #isLookDue = false
  readonly #resting = new Set<AbortController>()
  /** The frame of the client, where it is not the page itself. */
  #inner: Frame | null = null

  /** Random names that the page cannot guess. */
  static names(): PageNames {
    const [global, binding] = [randomUUID(), randomUUID()].map((id) => `client${id.replaceAll('-', '')}`)
    return { global: global ?? '', binding: binding ?? '' }
  }

  constructor({ page, global, tables, isGone, published = () => null }: TabTools) {
    this.page = page
    this.#global = global
    this.#tables = tables
    this.#isGone = isGone
    this.#published = published
    this.#hasNotices = Object.values(tables.notices).some((controls) => controls.length > 0)
  }

  /** The frame of the client. */
  get frame(): Frame {
    return this.#inner ?? this.page.mainFrame()
  }

  get isGone(): boolean {
    return this.#isGone()
  }

  async see(stage: Stage): Promise<{ readonly facts: Facts; readonly screen: Screen }> {
    const published = this.isGone ? null : this.#published()
    // Notices may cover a published screen, so the page is read all the same.
    const isEnough = published !== null && !this.#hasNotices
    if (isEnough) this.#isLookDue = false
    const facts = isEnough ? factsOf(null, this.page.url()) : await this.look()
    return { facts, screen: published ?? screenOf(facts, this.#tables, stage) }
  }

  async look(): Promise<Facts> {
    this.#isLookDue = false
    const outer = await this.#lookAt(this.page.mainFrame())
    this.#inner = this.#tables.frame && isEmpty(outer) ? await this.#innerFrame(this.#tables.frame) : null
    const seen = this.#inner ? await this.#lookAt(this.#inner) : outer
    if (this.isGone) throw new Failure('page_died', 'The page crashed')
    return seen
  }

  /** Empty during a navigation. Throws when the page is gone. */
  async #lookAt(frame: Frame): Promise<Facts> {
    const seen = frame.evaluate(`window.${this.#global}?.look()`).catch(() => null)
    return factsOf(await Promise.race([seen, delay(LOOK_WITHIN_MS, null, { ref: false })]), this.page.url())
  }

  async #innerFrame(selector: string): Promise<Frame | null> {
    const element = await this.page.$(selector).catch(() => null)
    return (await element?.contentFrame().catch(() => null)) ?? null
  }

  /** False where the control is missing or covered. Callers look at the page before the next try. */
  async press(control: ControlName): Promise<boolean> {
    const element = await this.find(control)
    if (element && this.#tables.inputs?.[control] === 'script' && (await this.#isCovered(element)))
      return succeeds(element.evaluate((it) => (it as HTMLElement).click()))
    return this.#click(element)
  }

  /** Presses only a visible control. */
  async pressSeen(signals: readonly Signal[]): Promise<boolean> {
    return this.#click(await this.#find(signals, true))
  }

  async fill(control: ControlName, text: string): Promise<boolean> {
    const element = await this.find(control)
    if (!element) return false
    if (this.#tables.inputs?.[control] !== 'keys') return succeeds(element.fill(text, { timeout: PRESS_WITHIN_MS }))
    return (await succeeds(element.fill('', { timeout: PRESS_WITHIN_MS }))) && succeeds(element.type(text, { timeout: TYPE_WITHIN_MS }))
  }

  async pressEnter(control: ControlName): Promise<boolean> {
    const element = await this.find(control)
    return element ? succeeds(element.press('Enter', { timeout: PRESS_WITHIN_MS })) : false
  }

  /** The value of an expression; null where the page does not answer. */
  run(expression: string): Promise<unknown> {
    return this.frame.evaluate(expression).catch(() => null)
  }

  /** Moves the mouse, which shows a hidden toolbar. */
  async wakeToolbar(): Promise<void> {
    await this.page.mouse.move(640, 400)
    await this.page.mouse.move(640, 420)
  }

  /** The chat shows this line. */
  async showsLine(text: string): Promise<boolean> {
    const given = `${JSON.stringify(this.#tables.chatLines.join())}, ${JSON.stringify(text)}`
    return (await this.frame.evaluate(`window.${this.#global}?.shows(${given})`).catch(() => false)) === true
  }

  /** The first snapshot that matches, or null on timeout. */
  async until(fits: (facts: Facts) => boolean, withinMs: number): Promise<Facts | null> {
    const signal = AbortSignal.timeout(withinMs)
    for (;;) {
      const facts = await this.look()
      if (fits(facts)) return facts
      if (signal.aborted) return null
      await this.rest(signal)
    }
  }

  /** Waits until the next look is due: after a pause, a report of the page, or an abort. */
  async rest(signal: AbortSignal, ms = LOOK_EVERY_MS): Promise<void> {
    if (this.#isLookDue || signal.aborted) return
    const resting = new AbortController()
    const end = () => resting.abort()
    this.#resting.add(resting)
    signal.addEventListener('abort', end)
    await delay(ms, undefined, { signal: resting.signal }).catch(() => undefined)
    signal.removeEventListener('abort', end)
    this.#resting.delete(resting)
  }

  /** Ends the pause before the next look. */
  wake(): void {
    this.#isLookDue = true
    for (const resting of this.#resting) resting.abort()
  }

  find(control: ControlName): Promise<ElementHandle | null> {
    return this.#find(this.#tables.controls[control] ?? [])
  }

  /** The page's view of an element and the pointer. */
  observe(element: ElementHandle, observer: keyof Pointer, given: object = {}): Promise<unknown> {
    return element.evaluate((it, call) => Reflect.get(globalThis, call.global)[call.observer](it, call.given), {
      global: this.#global,
      observer,
      given,
    })
  }

  /** Something lies over the middle of the element. */
  async #isCovered(element: ElementHandle): Promise<boolean> {
    return (await this.observe(element, 'aim').catch(() => false)) === null
  }

  async #click(element: ElementHandle | null): Promise<boolean> {
    // Forgets earlier clicks.
    if (!element || !(await succeeds(this.observe(element, 'aim')))) return false
    const isPressed = await succeeds(element.click({ timeout: PRESS_WITHIN_MS }))
    // Chromium drops a tab's mouse events while it asks whether to open an app. A press that navigates away has worked.
    if (isPressed) await succeeds(this.observe(element, 'insist'))
    return isPressed
  }

  async #find(signals: readonly Signal[], isSeen = false): Promise<ElementHandle | null> {
    const given = `${JSON.stringify(signals)}, ${isSeen}`
    const handle = await this.frame.evaluateHandle(`window.${this.#global}?.find(${given})`).catch(() => null)
    return handle?.asElement() ?? null
  }
}

/** A failed action shows in the next look. */
function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  )
}
