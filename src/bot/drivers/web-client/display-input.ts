// Presses and types at the door through the display server, as a desktop's pointer and keyboard do. What fails is done by the page's own input.
import type { ElementHandle } from 'playwright-core'
import type { Display, Point } from '../display.ts'
import type { Aim, Pointed } from './page/pointer.ts'
import type { Tab } from './tab.ts'
import type { ControlName } from './tables.ts'

export type DoorInput = {
  /** False where the control is not there, or cannot be pressed. */
  press(control: ControlName): Promise<boolean>
  fill(control: ControlName, text: string): Promise<boolean>
}

/** A window may be elsewhere than it says; where the page saw the pointer tells by how much. */
const MOST_AIMS = 3
/** Of any other character the browser sees the key, and often not what it means: xdotool lends it one for that moment only. */
const ON_THE_KEYBOARD = /^[ -~]+$/

export function displayInput(tab: Tab, display: Display): DoorInput {
  /** A display that has failed once is not waited for again. */
  let works = true
  const use = (control: ControlName, work: (element: ElementHandle) => Promise<boolean>): Promise<boolean> =>
    display.inTurn(async () => {
      const element = works ? await tab.find(control) : null
      if (!element) return false
      return work(element).catch(() => {
        works = false
        return false
      })
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

/** False where something lies over the element. Throws where the page does not see the pointer. */
async function press(tab: Tab, display: Display, element: ElementHandle): Promise<boolean> {
  // Above the windows of other bots, and with the keyboard.
  await tab.page.bringToFront()
  if (!(await pointAt(tab, display, element))) return false
  await display.click()
  // A press that leads away from the page was one.
  const isSeen = await tab.observe(element, 'pressed').catch(() => true)
  if (!isSeen) throw new Error('The page saw no click of the display')
  return true
}

/** True when the page has seen the pointer come to rest on the element. */
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
  throw new Error('The page did not see the pointer of the display on the element')
}
