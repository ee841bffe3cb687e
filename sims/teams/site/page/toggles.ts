/// <reference lib="dom" />
// The switches for microphone and camera before the call, in the three known markups.
import { scenario, texts } from './boot.ts'
import { devices, type Kind } from './devices.ts'
import { make } from './make.ts'
import { pressable } from './press.ts'

const TIDS: Readonly<Record<Kind, string>> = { microphone: 'toggle-mute', camera: 'toggle-video' }

export function createToggle(kind: Kind): HTMLElement {
  const { element, show } = MARKUPS[scenario.toggles](kind)
  const update = () => show(devices.isOn(kind))
  devices.onChange(update)
  update()
  return element
}

type Toggle = { readonly element: HTMLElement; show(on: boolean): void }

const MARKUPS: Readonly<Record<typeof scenario.toggles, (kind: Kind) => Toggle>> = {
  input: (kind) => createSwitch(kind, 'input'),
  div: (kind) => createSwitch(kind, 'div'),
  titled: createTitled,
}

function createSwitch(kind: Kind, tag: 'input' | 'div'): Toggle {
  const type = tag === 'input' ? { type: 'checkbox' } : {}
  const attributes = { ...type, role: 'switch', class: 'switch', 'data-tid': TIDS[kind], 'aria-label': texts[kind] }
  const element = pressable({ control: kind, tag, attributes, press: () => void devices.toggle(kind) })
  return {
    element,
    show(on) {
      element.setAttribute('aria-checked', String(on))
      element.setAttribute('data-cid', `${TIDS[kind]}-${on}`)
      if (element instanceof HTMLInputElement) element.checked = on
      element.toggleAttribute('checked', on)
    },
  }
}

/** The older page: a box with a title, a text, and a button that names its action. */
function createTitled(kind: Kind): Toggle {
  const text = make('span')
  const press = pressable({ control: kind, press: () => void devices.toggle(kind) })
  const element = make('div', { title: texts[kind] }, text, press)
  const labels = kind === 'microphone' ? [texts.mute, texts.unmute] : [texts.cameraOff, texts.cameraOn]
  return {
    element,
    show(on) {
      element.setAttribute('data-cid', `${TIDS[kind]}-${on}`)
      text.textContent = (kind === 'microphone' ? texts.microphoneIs : texts.cameraIs)[on ? 'on' : 'off']
      const label = labels[on ? 0 : 1] ?? ''
      press.setAttribute(kind === 'microphone' ? 'title' : 'aria-label', label)
      press.textContent = label
    },
  }
}

/** Ctrl+Shift+M and Ctrl+Shift+O, before the call and in it. */
export function listenForShortcuts(): void {
  const keys: Readonly<Record<string, Kind>> = { m: 'microphone', o: 'camera' }
  document.addEventListener('keydown', (event) => {
    const kind = event.ctrlKey && event.shiftKey ? keys[event.key.toLowerCase()] : undefined
    if (!kind) return
    event.preventDefault()
    void devices.toggle(kind)
  })
}
