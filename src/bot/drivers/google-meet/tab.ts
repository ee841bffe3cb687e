// The bot's tab at Google Meet: looking at it, and pressing what a person would press.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ElementHandle, Page } from 'playwright-core'
import { meetScript } from './page-script.ts'
import { type Facts, factsOf } from './screens.ts'
import { CONTROLS, type ControlName, type Signal } from './selectors.ts'

/** A page that hangs is not waited for; whoever needs it looks again. */
const LOOK_WITHIN_MS = 5_000
const PRESS_WITHIN_MS = 2_000
const LOOK_EVERY_MS = 250

export class Tab {
  readonly page: Page
  readonly #name: string
  readonly #isGone: () => boolean

  /** `script` belongs into the page before its own code; `tellName` is the binding it calls. */
  static scripted(): { readonly name: string; readonly tellName: string; readonly script: string } {
    const name = `meet${randomUUID().replaceAll('-', '')}`
    const tellName = `tell${randomUUID().replaceAll('-', '')}`
    return { name, tellName, script: meetScript(name, tellName) }
  }

  constructor(page: Page, name: string, isGone: () => boolean) {
    this.page = page
    this.#name = name
    this.#isGone = isGone
  }

  async look(): Promise<Facts> {
    // Between two addresses there is nothing to see. A page that is gone is another matter.
    const seen = this.page.evaluate(`window.${this.#name}?.look()`).catch(() => null)
    const facts = factsOf(await Promise.race([seen, delay(LOOK_WITHIN_MS, null, { ref: false })]), this.page.url())
    if (this.#isGone()) throw new Error('The page died')
    return facts
  }

  /** False where it is not there, or something lies over it: the page is looked at again before the next try. */
  async press(control: ControlName): Promise<boolean> {
    return click(await this.#grasp(CONTROLS[control]))
  }

  /** Only what can be seen already. */
  async pressSeen(signals: readonly Signal[]): Promise<boolean> {
    return click(await this.#grasp(signals, true))
  }

  async fill(control: ControlName, text: string): Promise<boolean> {
    const element = await this.#grasp(CONTROLS[control])
    return element ? succeeds(element.fill(text, { timeout: PRESS_WITHIN_MS })) : false
  }

  async pressEnter(control: ControlName): Promise<boolean> {
    const element = await this.#grasp(CONTROLS[control])
    return element ? succeeds(element.press('Enter', { timeout: PRESS_WITHIN_MS })) : false
  }

  /** The toolbar hides itself from whoever does not move. */
  async wakeToolbar(): Promise<void> {
    await this.page.mouse.move(640, 400)
    await this.page.mouse.move(640, 420)
  }

  async shows(places: string, text: string): Promise<boolean> {
    const given = `${JSON.stringify(places)}, ${JSON.stringify(text)}`
    return (await this.page.evaluate(`window.${this.#name}?.shows(${given})`).catch(() => false)) === true
  }

  /** The first look that fits, or null when the time is over. */
  async until(fits: (facts: Facts) => boolean, withinMs: number): Promise<Facts | null> {
    const signal = AbortSignal.timeout(withinMs)
    for (;;) {
      const facts = await this.look()
      if (fits(facts)) return facts
      if (signal.aborted) return null
      await pause(signal)
    }
  }

  async #grasp(signals: readonly Signal[], isSeen = false): Promise<ElementHandle | null> {
    const given = `${JSON.stringify(signals)}, ${isSeen}`
    const handle = await this.page.evaluateHandle(`window.${this.#name}?.grasp(${given})`).catch(() => null)
    return handle?.asElement() ?? null
  }
}

/** Until the next look, or until the signal. */
export async function pause(signal: AbortSignal, ms = LOOK_EVERY_MS): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined)
}

function click(element: ElementHandle | null): Promise<boolean> {
  return element ? succeeds(element.click({ timeout: PRESS_WITHIN_MS })) : Promise.resolve(false)
}

/** What the page does not let happen shows in the next look. */
function succeeds(deed: Promise<unknown>): Promise<boolean> {
  return deed.then(
    () => true,
    () => false,
  )
}
