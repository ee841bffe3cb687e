// The bot's tab: looking at it, and pressing what a person would press.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ElementHandle, Frame, Page } from 'playwright-core'
import { Failure } from '../../../kit/failure.ts'
import { type Facts, factsOf, isEmpty } from './facts.ts'
import type { Pointer } from './page/pointer.ts'
import type { PageNames } from './page/start.ts'
import { screenOf } from './screens.ts'
import type { ControlName, PlatformTables, Screen, Signal, Stage } from './tables.ts'

/** A page that hangs is not waited for: the next look comes soon. */
const LOOK_WITHIN_MS = 5_000
const PRESS_WITHIN_MS = 2_000
const LOOK_EVERY_MS = 250

type TabTools = {
  readonly page: Page
  /** The name of the observers in the page. */
  readonly global: string
  readonly tables: PlatformTables
  readonly isGone: () => boolean
  /** The screen, where the page itself says which. */
  readonly published?: () => Screen | null
}

export class Tab {
  readonly page: Page
  readonly #global: string
  readonly #tables: PlatformTables
  readonly #isGone: () => boolean
  readonly #published: () => Screen | null
  readonly #hasNotices: boolean
  /** The page has reported something since the last look. */
  #isLookDue = false
  readonly #resting = new Set<AbortController>()
  /** The frame in which the client sits, where it is not the page itself. */
  #inner: Frame | null = null

  /** Names that the page cannot guess. */
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

  /** Where the client itself is. */
  get frame(): Frame {
    return this.#inner ?? this.page.mainFrame()
  }

  get isGone(): boolean {
    return this.#isGone()
  }

  async see(stage: Stage): Promise<{ readonly facts: Facts; readonly screen: Screen }> {
    const published = this.isGone ? null : this.#published()
    // Where notices may lie in front, the page is looked at all the same.
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
    if (this.isGone) throw new Failure('page_died', 'The page died')
    return seen
  }

  /** Between two addresses there is nothing to see. A page that is gone is another matter. */
  async #lookAt(frame: Frame): Promise<Facts> {
    const seen = frame.evaluate(`window.${this.#global}?.look()`).catch(() => null)
    return factsOf(await Promise.race([seen, delay(LOOK_WITHIN_MS, null, { ref: false })]), this.page.url())
  }

  async #innerFrame(selector: string): Promise<Frame | null> {
    const element = await this.page.$(selector).catch(() => null)
    return (await element?.contentFrame().catch(() => null)) ?? null
  }

  /** False where it is not there, or something lies over it: the page is looked at again before the next try. */
  async press(control: ControlName): Promise<boolean> {
    return this.#click(await this.find(control))
  }

  /** Only what can be seen already. */
  async pressSeen(signals: readonly Signal[]): Promise<boolean> {
    return this.#click(await this.#find(signals, true))
  }

  async fill(control: ControlName, text: string): Promise<boolean> {
    const element = await this.find(control)
    return element ? succeeds(element.fill(text, { timeout: PRESS_WITHIN_MS })) : false
  }

  async pressEnter(control: ControlName): Promise<boolean> {
    const element = await this.find(control)
    return element ? succeeds(element.press('Enter', { timeout: PRESS_WITHIN_MS })) : false
  }

  /** The value of an expression; null where the page does not answer. */
  run(expression: string): Promise<unknown> {
    return this.frame.evaluate(expression).catch(() => null)
  }

  /** A toolbar hides itself until the mouse moves. */
  async wakeToolbar(): Promise<void> {
    await this.page.mouse.move(640, 400)
    await this.page.mouse.move(640, 420)
  }

  /** Whether the chat shows this line. */
  async showsLine(text: string): Promise<boolean> {
    const given = `${JSON.stringify(this.#tables.chatLines.join())}, ${JSON.stringify(text)}`
    return (await this.frame.evaluate(`window.${this.#global}?.shows(${given})`).catch(() => false)) === true
  }

  /** The first look that fits, or null when the time is over. */
  async until(fits: (facts: Facts) => boolean, withinMs: number): Promise<Facts | null> {
    const signal = AbortSignal.timeout(withinMs)
    for (;;) {
      const facts = await this.look()
      if (fits(facts)) return facts
      if (signal.aborted) return null
      await this.rest(signal)
    }
  }

  /** Until the next look is due: after a while, or when the page reports something. Shorter where the signal comes. */
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

  /** Has the page looked at now instead of in a while. */
  wake(): void {
    this.#isLookDue = true
    for (const resting of this.#resting) resting.abort()
  }

  find(control: ControlName): Promise<ElementHandle | null> {
    return this.#find(this.#tables.controls[control] ?? [])
  }

  /** What the page has to say of the element and the pointer. */
  observe(element: ElementHandle, what: keyof Pointer, given: object = {}): Promise<unknown> {
    return element.evaluate((it, call) => Reflect.get(globalThis, call.global)[call.what](it, call.given), {
      global: this.#global,
      what,
      given,
    })
  }

  async #click(element: ElementHandle | null): Promise<boolean> {
    // Clicks of before are forgotten.
    if (!element || !(await succeeds(this.observe(element, 'aim')))) return false
    const isPressed = await succeeds(element.click({ timeout: PRESS_WITHIN_MS }))
    // Chromium drops the mouse events of a tab while it asks whether to open an app. A press that leads away from the page was one.
    if (isPressed) await succeeds(this.observe(element, 'insist'))
    return isPressed
  }

  async #find(signals: readonly Signal[], isSeen = false): Promise<ElementHandle | null> {
    const given = `${JSON.stringify(signals)}, ${isSeen}`
    const handle = await this.frame.evaluateHandle(`window.${this.#global}?.find(${given})`).catch(() => null)
    return handle?.asElement() ?? null
  }
}

/** What the page does not let happen shows in the next look. */
function succeeds(action: Promise<unknown>): Promise<boolean> {
  return action.then(
    () => true,
    () => false,
  )
}
