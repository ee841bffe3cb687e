// Presses and types through the display server, like a desktop's pointer and keyboard. Falls back to the page's own input.
import type { ElementHandle } from 'playwright-core'
import type { Display, Point } from '../display.ts'
import type { Aim, Pointed } from './page/pointer.ts'
import type { ControlName } from './page-rules.ts'
import type { Tab } from './tab.ts'

export type DoorInput = {
  /** False where the control is missing or cannot be pressed. */
  press(control: ControlName): Promise<boolean>
  fill(control: ControlName, text: string): Promise<boolean>
}

/** Window positions may be wrong. The offset is measured from where the page saw the pointer. */
const MOST_AIMS = 3
/** xdotool maps any other character to a key for a moment only, so the browser often misses its meaning. */
const ON_THE_KEYBOARD = /^[ -~]+$/

export function displayInput(tab: Tab, display: Display): DoorInput {
  /** A display that failed once is not tried again. */
  let works = true
  const use = (control: ControlName, work: (element: ElementHandle) => Promise<boolean>): Promise<boolean> =>
    display.serially(async () => {
      if (!works) return false
      return tab.use(control, (element) =>
        work(element).catch(() => {
          works = false
          return false
        }),
      )
    })
  return {
    async press(control) {
      return (await use(control, (element) => press(tab, display, element))) || tab.press(control)
    },
    async fill(control, text) {
      const type = async (element: ElementHandle): Promise<boolean> => {
        if (!(await press(tab, display, element))) return false
        await display.type(text)
        return (await tab.observe(element, 'typed', { text })) === true
      }
      return (ON_THE_KEYBOARD.test(text) && (await use(control, type))) || tab.fill(control, text)
    },
  }
}

/** False where another element covers the control. Throws where the page does not see the pointer. */
async function press(tab: Tab, display: Display, element: ElementHandle): Promise<boolean> {
  // Raises the window above those of other bots and gives it the keyboard.
  await tab.page.bringToFront()
  if (!(await pointAt(tab, display, element))) return false
  await display.click()
  // A click that navigates away has worked.
  const isSeen = await tab.observe(element, 'pressed').catch(() => true)
  if (!isSeen) throw new Error('The page received no click from the display')
  return true
}

/** True when the page has seen the pointer rest on the element. */
async function pointAt(tab: Tab, display: Display, element: ElementHandle): Promise<boolean> {
  let offset: Point = { x: 0, y: 0 }
  for (let aims = 0; aims < MOST_AIMS; aims++) {
    const aim = (await tab.observe(element, 'aim')) as Aim | null
    if (!aim) return false
    const goal = { x: aim.screenX + offset.x, y: aim.screenY + offset.y }
    await display.movePointer(goal)
    const pointed = (await tab.observe(element, 'pointed', goal)) as Pointed | null
    if (pointed?.isOver) return true
    if (pointed) offset = { x: offset.x + aim.x - pointed.x, y: offset.y + aim.y - pointed.y }
  }
  throw new Error('The pointer of the display did not reach the element')
}
