/// <reference lib="dom" />
// Locates an element on the screen, and observes which pointer and keyboard input of the display reached the page.

/** The target in page coordinates, and on the screen by the window's own position. */
export type Aim = { readonly x: number; readonly y: number; readonly screenX: number; readonly screenY: number }

/** The position at which the page saw the pointer; `isOver`: on the element. */
export type Pointed = { readonly x: number; readonly y: number; readonly isOver: boolean }

export type Pointer = {
  /** Null where another element covers it. Forgets earlier observations. */
  aim(element: Element): Aim | null
  /** The last seen position, at the latest when the pointer has reached its target. Null on timeout. */
  pointed(element: Element, goal: { readonly x: number; readonly y: number }): Promise<Pointed | null>
  /** A click on the element is seen before the timeout. */
  pressed(element: Element): Promise<boolean>
  /** Clicks by script where no click on the element was seen. */
  insist(element: Element): Promise<void>
  /** The field holds the text before the timeout. */
  typed(element: Element, wanted: { readonly text: string }): Promise<boolean>
}

/** Events are late on a busy machine. */
const POINTED_WITHIN_MS = 2_000
const TAKEN_WITHIN_MS = 5_000
/** Clicks through the debugger protocol have arrived when its call returns. */
const CLICKED_WITHIN_MS = 300
const LOOK_EVERY_MS = 10

/** Capturing listeners see events that the page stops. */
export function followPointer(): Pointer {
  const seen: { mousemove?: MouseEvent; click?: MouseEvent } = {}
  const note = (event: MouseEvent): void => {
    if (event.isTrusted && (event.type === 'mousemove' || event.type === 'click')) seen[event.type] = event
  }
  // Adding a listener again does nothing, unless `document.open()` has removed it.
  const listen = (): void => {
    for (const kind of ['mousemove', 'click'] as const) window.addEventListener(kind, note, { capture: true, passive: true })
  }
  listen()
  return {
    aim(element) {
      listen()
      delete seen.mousemove
      delete seen.click
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
      if (!isAt(element, x, y)) return null
      // A window frame is equally wide on the left and right. There is none below the page.
      const [frame, bars] = [Math.round((outerWidth - innerWidth) / 2), outerHeight - innerHeight]
      return { x, y, screenX: window.screenX + frame + x, screenY: window.screenY + bars + y }
    },
    async pointed(element, goal) {
      await within(POINTED_WITHIN_MS, () => seen.mousemove !== undefined && isNear(seen.mousemove, goal))
      const { clientX: x, clientY: y } = seen.mousemove ?? {}
      return x === undefined || y === undefined ? null : { x, y, isOver: isAt(element, x, y) }
    },
    async pressed(element) {
      await within(TAKEN_WITHIN_MS, () => seen.click !== undefined)
      return seen.click?.target instanceof Node && element.contains(seen.click.target)
    },
    async insist(element) {
      if (!(await within(CLICKED_WITHIN_MS, () => seen.click !== undefined)) && element instanceof HTMLElement) element.click()
    },
    typed: (element, { text }) => within(TAKEN_WITHIN_MS, () => element instanceof HTMLInputElement && element.value === text),
  }
}

/** A browser may report a movement before its last fraction. */
function isNear({ screenX, screenY }: MouseEvent, goal: { readonly x: number; readonly y: number }): boolean {
  return Math.abs(screenX - goal.x) <= 1 && Math.abs(screenY - goal.y) <= 1
}

function isAt(element: Element, x: number, y: number): boolean {
  return element.contains(document.elementFromPoint(x, y))
}

async function within(ms: number, holds: () => boolean): Promise<boolean> {
  const deadline = performance.now() + ms
  while (!holds()) {
    if (performance.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return true
}
