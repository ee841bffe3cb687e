/// <reference lib="dom" />
// The toolbar of the call.
import type { MediaKind } from '../../wire.ts'
import type { Call } from '../call.ts'
import { type CallState, selfIn } from '../state.ts'
import { button, make } from './dom.ts'
import { type IconName, icon } from './icons.ts'
import type { View } from './view.ts'

const MEDIA: Readonly<Record<MediaKind, { readonly on: IconName; readonly off: IconName; readonly stop: string; readonly start: string }>> =
  {
    microphone: { on: 'microphone', off: 'microphoneOff', stop: 'Mute microphone', start: 'Unmute microphone' },
    camera: { on: 'camera', off: 'cameraOff', stop: 'Turn camera off', start: 'Turn camera on' },
    screen: { on: 'screen', off: 'screen', stop: 'Stop sharing the screen', start: 'Share the screen' },
  }

/** `aria-pressed` is the current state; the label names the action of a click. */
export function mediaButton(call: Call, kind: MediaKind): View {
  const look = MEDIA[kind]
  const element = button(kind, `round ${kind}`, () => void toggle(), {})
  async function toggle(): Promise<void> {
    element.disabled = true
    await call.toggle(kind)
    element.disabled = false
  }
  // Phones do not support screen sharing.
  element.hidden = kind === 'screen' && !('getDisplayMedia' in (navigator.mediaDevices ?? {}))
  let shown: boolean | null = null
  return {
    element,
    update({ media }) {
      const isOn = media[kind]
      if (shown === isOn) return
      shown = isOn
      element.setAttribute('aria-pressed', String(isOn))
      element.setAttribute('aria-label', isOn ? look.stop : look.start)
      element.title = isOn ? look.stop : look.start
      element.replaceChildren(icon(isOn ? look.on : look.off))
    },
  }
}

export type PanelName = 'chat' | 'people'

export type Panels = {
  readonly open: () => PanelName | null
  readonly toggle: (name: PanelName) => void
}

export function toolbar(call: Call, panels: Panels): View {
  const media = (['microphone', 'camera', 'screen'] as const).map((kind) => mediaButton(call, kind))
  const chat = panelButton('chat', 'Chat', panels)
  const people = panelButton('people', 'People', panels)
  const leave = action('leave', 'leave', 'Leave the meeting', () => call.leave())
  const question = endQuestion(() => call.send({ kind: 'end' }))
  const end = action('end', 'end', 'End the meeting for all', () => question.showModal())
  let readLines = 0

  return {
    element: make(
      'footer',
      { class: 'toolbar', role: 'toolbar', 'aria-label': 'Call controls' },
      make('div', { class: 'tools' }, ...media.map((it) => it.element)),
      make('div', { class: 'tools' }, chat.element, people.element),
      make('div', { class: 'tools' }, leave, end),
      question,
    ),
    update(state) {
      for (const button of media) button.update(state)
      if (panels.open() === 'chat') readLines = state.chat.length
      const unread = state.chat.slice(readLines).filter((it) => it.from !== state.self).length
      chat.update(unread, 'unread')
      people.update(state.waiting.length, 'waiting')
      end.hidden = !isHost(state)
    },
  }
}

function isHost(state: CallState): boolean {
  return selfIn(state)?.host ?? false
}

function action(id: string, name: IconName, label: string, onclick: () => void): HTMLButtonElement {
  return button(id, `round ${id}`, onclick, { 'aria-label': label, title: label }, icon(name))
}

function panelButton(name: PanelName, label: string, panels: Panels) {
  const badge = make('span', { class: 'badge', hidden: true, 'aria-hidden': 'true' })
  const element = action(`toggle-${name}`, name, label, () => panels.toggle(name))
  element.append(badge)
  return {
    element,
    update(count: number, noun: string): void {
      badge.hidden = count === 0
      badge.textContent = count > 9 ? '9+' : String(count)
      element.setAttribute('aria-label', count > 0 ? `${label}, ${count} ${noun}` : label)
      element.setAttribute('aria-expanded', String(panels.open() === name))
    },
  }
}

function endQuestion(onYes: () => void): HTMLDialogElement {
  const yes = make('button', { class: 'danger', 'data-testid': 'confirm-end', value: 'yes' }, 'End for all')
  const form = make(
    'form',
    { method: 'dialog' },
    make('h2', {}, 'End the meeting for everyone?'),
    make('p', {}, 'All who are inside or waiting are sent away.'),
    make('div', {}, make('button', { class: 'secondary', 'data-testid': 'cancel-end' }, 'Cancel'), yes),
  )
  const dialog = make('dialog', { class: 'end-question', 'aria-label': 'End the meeting for everyone?' }, form)
  dialog.addEventListener('close', () => {
    if (dialog.returnValue === 'yes') onYes()
    dialog.returnValue = ''
  })
  return dialog
}
