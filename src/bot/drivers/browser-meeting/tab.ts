// The bot's tab: takes snapshots of the page and presses its controls.
import { setTimeout as delay } from 'node:timers/promises'
import type { ElementHandle, Frame, Page } from 'playwright-core'
import { Failure } from '../../../kit/failure.ts'
import { hiddenObject } from '../../worker/page-bundle.ts'
import { type Facts, factsOf, isEmpty } from './facts.ts'
import { frameText } from './frame-text.ts'
import { answerOf, inTime, succeeds } from './in-time.ts'
import type { SeenScreen } from './join-witness.ts'
import { textAt } from './json-fields.ts'
import type { Pointer } from './page/pointer.ts'
import type { ControlName, PageRules, Screen, Signal, Stage } from './page-rules.ts'
import { screenOf } from './screens.ts'
import { withElement } from './with-element.ts'

const PRESS_WITHIN_MS = 2_000
const TYPE_WITHIN_MS = 10_000
const LOOK_EVERY_MS = 250

type TabTools = {
  /** Another one after a try in a fresh browser. */
  readonly page: () => Page
  /** The hidden object of the page-side observers. */
  readonly observers: string
  readonly pageRules: PageRules
  readonly isGone: () => boolean
  /** The screen, where the page itself publishes it. */
  readonly published?: () => Screen | null
  /** Called with each screen before the driver acts on it. */
  readonly onSeen?: (seen: SeenScreen) => Promise<void>
}

export class Tab {
  readonly #tools: TabTools
  readonly #hasNotices: boolean
  /** The page has sent a report since the last look. */
  #isLookDue = false
  readonly #resting = new Set<AbortController>()
  /** The frame of the client, where it is not the page itself. */
  #inner: Frame | null = null

  constructor(tools: TabTools) {
    this.#tools = tools
    this.#hasNotices = Object.values(tools.pageRules.notices).some((controls) => controls.length > 0)
  }

  /** Evaluates to the page-side observers, or to undefined. */
  get #observers(): string {
    return hiddenObject(this.#tools.observers)
  }

  get page(): Page {
    return this.#tools.page()
  }

  /** The frame of the client. */
  get frame(): Frame {
    return this.#inner ?? this.page.mainFrame()
  }

  get isGone(): boolean {
    return this.#tools.isGone()
  }

  async see(stage: Stage): Promise<{ readonly facts: Facts; readonly screen: Screen }> {
    const seen = await this.#see(stage)
    await this.#tools.onSeen?.({ ...seen, stage, again: () => this.#see(stage) })
    return seen
  }

  async #see(stage: Stage): Promise<{ readonly facts: Facts; readonly screen: Screen }> {
    const published = this.isGone ? null : (this.#tools.published?.() ?? null)
    // Notices may cover a published screen, so the page is read all the same.
    const isEnough = published !== null && !this.#hasNotices
    if (isEnough) this.#isLookDue = false
    const isNested = stage === 'door' && this.#tools.pageRules.nested === true
    const facts = isEnough ? factsOf(null, this.page.url()) : await this.look(isNested)
    if (isEnough) return { facts, screen: published }
    const seen = screenOf(facts, this.#tools.pageRules, stage)
    // A client that is inside a meeting is so between two of its rooms, too.
    return { facts, screen: published === 'inside' && seen === 'moving' ? seen : (published ?? seen) }
  }

  /** `isNested`: with the text of shadow roots and frames. */
  async look(isNested = false): Promise<Facts> {
    this.#isLookDue = false
    const outer = await this.#lookAt(this.page.mainFrame(), isNested)
    this.#inner = this.#tools.pageRules.frame && isEmpty(this.#factsOf(outer)) ? await this.#innerFrame(this.#tools.pageRules.frame) : null
    const own = this.#inner ? await this.#lookAt(this.#inner, isNested) : outer
    const facts = this.#factsOf(own, isNested ? await this.#nestedText(outer) : null)
    if (this.isGone) throw new Failure('page_died', 'The page crashed')
    // The browser's own error page has none.
    if (outer === undefined && this.page.url().startsWith('http'))
      throw new Failure('observers_lost', 'The page has removed the code of the bot')
    return facts
  }

  /** The text of frames, and that of shadow roots around the frame of the client. */
  async #nestedText(outer: unknown): Promise<string> {
    const around = this.#inner ? textAt(outer, 'shadow') : ''
    return [around, await frameText(this.frame)].filter((it) => it !== '').join('\n')
  }

  /** Null during a navigation, undefined where the page has lost its observers. */
  #lookAt(frame: Frame, isNested: boolean): Promise<unknown> {
    return answerOf(frame.evaluate(`${this.#observers}?.look(${isNested})`))
  }

  #factsOf(seen: unknown, nested: string | null = null): Facts {
    return factsOf(seen, this.page.url(), nested)
  }

  async #innerFrame(selector: string): Promise<Frame | null> {
    const element = await this.page.$(selector).catch(() => null)
    return element && withElement(element, (it) => it.contentFrame().catch(() => null))
  }

  /** False where the control is missing or covered. Callers look at the page before the next try. */
  press(control: ControlName): Promise<boolean> {
    return this.use(control, async (element) => {
      if (this.#tools.pageRules.inputs?.[control] === 'script' && (await this.#isCovered(element)))
        return succeeds(inTime(element.evaluate((it) => (it as HTMLElement).click())))
      return this.#click(element)
    })
  }

  /** Presses only a visible control. */
  async pressSeen(signals: readonly Signal[]): Promise<boolean> {
    const element = await this.#find(signals, true)
    return element ? withElement(element, (it) => this.#click(it)) : false
  }

  fill(control: ControlName, text: string): Promise<boolean> {
    return this.use(control, async (element) => {
      if (this.#tools.pageRules.inputs?.[control] !== 'keys') return succeeds(element.fill(text, { timeout: PRESS_WITHIN_MS }))
      return (await succeeds(element.fill('', { timeout: PRESS_WITHIN_MS }))) && succeeds(element.type(text, { timeout: TYPE_WITHIN_MS }))
    })
  }

  pressEnter(control: ControlName): Promise<boolean> {
    return this.use(control, (element) => succeeds(element.press('Enter', { timeout: PRESS_WITHIN_MS })))
  }

  /** The value of an expression; null where the page does not answer. */
  run(expression: string): Promise<unknown> {
    return answerOf(this.frame.evaluate(expression))
  }

  /** Moves the mouse, which shows a hidden toolbar. */
  async wakeToolbar(): Promise<void> {
    await this.page.mouse.move(640, 400)
    await this.page.mouse.move(640, 420)
  }

  /** The chat shows this line. */
  async showsLine(text: string): Promise<boolean> {
    const given = `${JSON.stringify(this.#tools.pageRules.chatLines.join())}, ${JSON.stringify(text)}`
    return (await answerOf(this.frame.evaluate(`${this.#observers}?.shows(${given})`))) === true
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

  /** False where the control is missing. */
  async use(control: ControlName, work: (element: ElementHandle) => Promise<boolean>): Promise<boolean> {
    const element = await this.#find(this.#tools.pageRules.controls[control] ?? [])
    return element ? withElement(element, work) : false
  }

  /** The page's view of an element and the pointer. Rejects where the page has lost its observers. */
  async observe(element: ElementHandle, observer: keyof Pointer, given: object = {}): Promise<unknown> {
    const observers = await inTime(this.frame.evaluateHandle<Pointer>(this.#observers))
    try {
      const seen = observers.evaluate((it, [name, ...rest]): unknown => Reflect.apply(it[name], it, rest), [
        observer,
        element,
        given,
      ] as const)
      return await inTime(seen)
    } finally {
      // The page may have navigated away.
      observers.dispose().catch(() => undefined)
    }
  }

  /** Something lies over the middle of the element. */
  async #isCovered(element: ElementHandle): Promise<boolean> {
    return (await this.observe(element, 'aim').catch(() => false)) === null
  }

  async #click(element: ElementHandle): Promise<boolean> {
    // Forgets earlier clicks.
    if (!(await succeeds(this.observe(element, 'aim')))) return false
    const isPressed = await succeeds(element.click({ timeout: PRESS_WITHIN_MS }))
    // Chromium drops a tab's mouse events while it asks whether to open an app. A press that navigates away has worked.
    if (isPressed) await succeeds(this.observe(element, 'insist'))
    return isPressed
  }

  async #find(signals: readonly Signal[], isSeen = false): Promise<ElementHandle | null> {
    const given = `${JSON.stringify(signals)}, ${isSeen}`
    const handle = await answerOf(this.frame.evaluateHandle(`${this.#observers}?.find(${given})`))
    return handle?.asElement() ?? null
  }
}
