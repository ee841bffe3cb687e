/// <reference lib="dom" />
// Where an element is on the screen, and what of the display's pointer and keyboard has reached the page.

/** Where to point: in the page, and on the screen as far as the window knows its own place. */
export type Aim = { readonly x: number; readonly y: number; readonly screenX: number; readonly screenY: number }

/** Where the page saw the pointer; `isOver`: on the element. */
export type Pointed = { readonly x: number; readonly y: number; readonly isOver: boolean }

export type Pointer = {
  /** Null where something lies over the element. Forgets what has been seen so far. */
  aim(element: Element): Aim | null
  /** Where the pointer was seen last, at the latest when it has reached its goal on the screen. Null where it is not seen in time. */
  pointed(element: Element, goal: { readonly x: number; readonly y: number }): Promise<Pointed | null>
  /** Whether a click on the element is seen in time. */
  pressed(element: Element): Promise<boolean>
  /** Presses by script where no click on the element was seen. */
  insist(element: Element): Promise<void>
  /** Whether the field holds the text in time. */
  typed(element: Element, wanted: { readonly text: string }): Promise<boolean>
}

/** A busy machine brings events late. */
const POINTED_WITHIN_MS = 2_000
const TAKEN_WITHIN_MS = 5_000
/** The debugger's own clicks are here when it says so. */
const CLICKED_WITHIN_MS = 300
const LOOK_EVERY_MS = 10

/** Listens before the page does: what the page stops is seen all the same. */
export function followPointer(): Pointer {
  const seen: { mousemove?: MouseEvent; click?: MouseEvent } = {}
  for (const kind of ['mousemove', 'click'] as const) {
    const note = (event: MouseEvent): void => {
      if (event.isTrusted) seen[kind] = event
    }
    window.addEventListener(kind, note, { capture: true, passive: true })
  }
  return {
    aim(element) {
      delete seen.mousemove
      delete seen.click
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
      if (!isAt(element, x, y)) return null
      // The frame of a window is as wide on its left as on its right. Below the page there is none.
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

/** A browser may tell of a movement with a fraction of it still to come. */
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
