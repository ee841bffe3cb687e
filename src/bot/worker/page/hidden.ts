/// <reference lib="dom" />
// Objects of the bot in a meeting's page. A page can list the properties of `window`, but not the listeners of `performance`, which stay when
// `document.open()` removes those of the window.

type Box = { object?: unknown }

// Taken before the page can replace them.
const { performance: target, CustomEvent: NativeEvent } = globalThis
const { dispatchEvent } = target

/** Gives the object to every event of this name. `hiddenObject` of page-bundle.ts is the bot's side. */
export function hide(name: string, object: object): void {
  target.addEventListener(name, (event) => {
    event.stopImmediatePropagation()
    if (event instanceof NativeEvent) Object.assign(Object(event.detail), { object } satisfies Box)
  })
}

/** Undefined where nothing has this name. */
export function hidden(name: string): unknown {
  const box: Box = {}
  dispatchEvent.call(target, new NativeEvent(name, { detail: box }))
  return box.object
}
