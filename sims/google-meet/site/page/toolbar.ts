/// <reference lib="dom" />
// The controls at the bottom of the call. They hide while the mouse rests.
import { boot, fill, scenario, texts } from './boot.ts'
import { icon, make, pressable } from './dom.ts'
import { createToggle } from './toggles.ts'

export type ToolbarEvents = {
  readonly captions: HTMLElement
  readonly more: HTMLElement
  readonly toggle: (panel: 'people' | 'chat') => void
  readonly leave: () => void
}

export type Toolbar = { readonly element: HTMLElement; count(people: number): void }

export function createToolbar({ captions, more, toggle, leave }: ToolbarEvents): Toolbar {
  const round = (control: string, label: string, ligature: string, press: () => void = () => undefined, jsname?: string) =>
    pressable({ control, attributes: { class: 'round', 'aria-label': label, jsname }, press }, icon(ligature))

  const people = createPeopleButton(() => toggle('people'))
  const badge = make('div', { class: 'badge' })
  people.append(badge)
  const leaveButton = round('leave', texts.leave, 'call_end', leave, 'CQylAd')
  const controls = make(
    'div',
    { class: 'controls', role: 'region', 'aria-label': texts.controls },
    ...[createToggle('microphone'), createToggle('camera'), captions],
    round('reaction', texts.reaction, 'mood'),
    round('present', texts.presentNow, 'present_to_all'),
    round('raise_hand', texts.raiseHand, 'back_hand'),
    ...[more, leaveButton],
  )
  const side = make(
    'div',
    { class: 'side-controls' },
    round('details', texts.details, 'info'),
    people,
    round('chat', texts.chat, 'chat', () => toggle('chat')),
  )
  const element = make('div', { class: 'toolbar in-call' }, make('div', { class: 'code' }, boot.code), controls, side)
  hideWhenIdle(element)
  return {
    element,
    count(count) {
      badge.textContent = String(count)
      badge.setAttribute('data-avatar-count', String(count))
      people.setAttribute('aria-label', peopleLabel(count))
    },
  }
}

function createPeopleButton(press: () => void): HTMLElement {
  const isDialog = scenario.peopleButton === 'dialog'
  const attributes = { class: 'round', 'aria-label': texts.people, jsname: 'A5il2e', 'aria-haspopup': isDialog && 'dialog' }
  return pressable({ control: 'people', tag: isDialog ? 'div' : 'button', attributes, press }, icon('people'))
}

function peopleLabel(count: number): string {
  if (scenario.peopleButton === 'count') return fill(texts.peopleCount, { count: String(count) })
  return scenario.peopleButton === 'plain' || scenario.peopleButton === 'dialog' ? texts.people : texts.showEveryone
}

/** Hidden, but still in the document. */
function hideWhenIdle(element: HTMLElement): void {
  const { toolbarHidesAfterMs } = scenario
  if (toolbarHidesAfterMs === null) return
  const hide = () => element.setAttribute('data-idle', 'true')
  let timer = setTimeout(hide, toolbarHidesAfterMs)
  const stir = () => {
    clearTimeout(timer)
    element.removeAttribute('data-idle')
    timer = setTimeout(hide, toolbarHidesAfterMs)
  }
  for (const event of ['mousemove', 'keydown', 'focusin']) document.addEventListener(event, stir)
}
