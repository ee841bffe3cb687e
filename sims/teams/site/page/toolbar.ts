/// <reference lib="dom" />
// The controls at the top of the call.
import { scenario, texts } from './boot.ts'
import { devices, type Kind } from './devices.ts'
import { type Attributes, make } from './make.ts'
import { createMoreMenu, createViewMenu, type MenuActions } from './menus.ts'
import { place } from './place.ts'
import { pressable } from './press.ts'

export type ToolbarActions = MenuActions & {
  readonly toggle: (panel: 'chat' | 'people') => void
  readonly leave: () => void
}

const HANGUPS: Readonly<Record<typeof scenario.hangup, Attributes>> = {
  id: { id: 'hangup-button', 'data-tid': 'hangup-main-btn' },
  tid: { 'data-tid': 'hangup-main-btn' },
  inp: { 'data-inp': 'hangup-button' },
  call_hangup: { 'data-tid': 'call-hangup' },
}

export type Toolbar = { readonly element: HTMLElement; count(people: number): void }

export function createToolbar(actions: ToolbarActions): Toolbar {
  const { toggle, leave } = actions
  const plain = (control: string, id: string, text: string, press: () => void = () => undefined) =>
    pressable({ control, attributes: { id, 'aria-label': text }, press }, text)
  const tile = make('span', { 'data-tid': 'roster-button-tile' })
  const people = plain('people', 'roster-button', texts.people, () => toggle('people'))
  people.append(tile)
  const hangup = pressable(
    { control: 'leave', attributes: { ...HANGUPS[scenario.hangup], 'aria-label': texts.leaveLabel }, press: leave },
    texts.leave,
  )
  listenForHangup(leave)
  const isAttendee = scenario.event === 'webinar'
  const own = () => [
    plain('raise', 'raisehands-button', texts.raise),
    createDeviceButton('camera', 'video-button', [texts.cameraOff, texts.cameraOn]),
    createDeviceButton('microphone', 'microphone-button', [texts.muteMic, texts.unmuteMic]),
    plain('share', 'share-button', texts.share),
  ]
  const element = make(
    'div',
    { class: 'toolbar', role: 'toolbar' },
    plain('chat', 'chat-button', texts.chat, () => toggle('chat')),
    ...(isAttendee ? [] : [people]),
    plain('react', 'reaction-menu-button', texts.react),
    createViewMenu(actions),
    createMoreMenu(actions),
    ...(isAttendee ? [] : own()),
    ...(place.name !== '' && scenario.mayReturn ? [plain('return', 'breakout-return-button', texts.rooms.back)] : []),
    hangup,
  )
  return {
    element,
    count(count) {
      tile.textContent = String(count)
    },
  }
}

function createDeviceButton(kind: Kind, id: string, [whenOn, whenOff]: readonly [string, string]): HTMLElement {
  const element = pressable({ control: kind, attributes: { id }, press: () => void devices.toggle(kind) })
  const show = () => {
    const text = devices.isOn(kind) ? whenOn : whenOff
    element.setAttribute('aria-label', text)
    element.textContent = text
  }
  devices.onChange(show)
  show()
  return element
}

function listenForHangup(leave: () => void): void {
  document.addEventListener('keydown', ({ ctrlKey, shiftKey, key }) => {
    if (ctrlKey && shiftKey && key.toLowerCase() === 'h' && document.querySelector('.toolbar')) leave()
  })
}
