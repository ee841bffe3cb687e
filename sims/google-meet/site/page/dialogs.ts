/// <reference lib="dom" />
// What comes in front of the page: dialogs that must be answered, toasts that may be closed, frames that want a human.
import type { Notice } from '../scenario.ts'
import { scenario, words } from './boot.ts'
import { devices } from './devices.ts'
import { icon, make, pressable, textButton } from './dom.ts'

export type Choice = { readonly control: string; readonly text: string; readonly action?: string; readonly press?: () => void }

/** Settles with the control that was pressed. */
export function ask(heading: string, text: string, choices: readonly Choice[]): Promise<string> {
  return new Promise((resolve) => {
    const layer = make('div', { class: 'layer', 'data-disable-esc-to-close': 'true' })
    const buttons = choices.map(({ control, text: label, action, press }) => {
      const done = () => {
        layer.remove()
        press?.()
        resolve(control)
      }
      return textButton(control, label, done, { 'data-mdc-dialog-action': action })
    })
    const dialog = make(
      'div',
      { class: 'dialog', role: 'dialog', 'aria-modal': 'true', 'aria-label': heading },
      make('h2', {}, heading),
      make('div', { class: 'dialog-text' }, text),
      make('div', { class: 'dialog-buttons' }, ...buttons),
    )
    layer.append(dialog)
    document.body.append(layer)
  })
}

const NOTICES: Readonly<Record<Notice, () => Promise<unknown>>> = {
  devices: () =>
    ask(words.devicesQuestion, words.devicesHint, [
      { control: 'use_devices', text: words.useDevices, press: () => void turnBoth(true) },
      { control: 'without_devices', text: words.withoutDevices, press: () => void turnBoth(false) },
    ]),
  sign_in: () =>
    ask(words.signInNudge, '', [
      { control: 'sign_in', text: words.signIn, press: () => location.assign('https://accounts.google.com/') },
      { control: 'use_without_account', text: words.useWithoutAccount },
    ]),
  got_it: () => ask(words.safety, '', [{ control: 'got_it', text: words.gotIt }]),
  dismiss: async () => {
    const toast = make('div', { class: 'toast', role: 'status' }, words.safety)
    toast.append(pressable({ control: 'dismiss', tag: 'div', press: () => toast.remove() }, words.dismiss))
    document.body.append(toast)
  },
  device_errors: async () => {
    for (const kind of ['speaker', 'camera', 'microphone'] as const)
      void ask(words.notFound[kind], '', [{ control: 'close_device_error', text: words.dismiss }])
  },
  toasts: async () => {
    for (const kind of ['microphone', 'camera'] as const) toast(words.notFound[kind])
  },
}

async function turnBoth(on: boolean): Promise<void> {
  for (const kind of ['microphone', 'camera'] as const) await devices.turn(kind, on)
}

/** One after the other, as the scenario has them. */
export async function showNotices(): Promise<void> {
  for (const notice of scenario.notices) await NOTICES[notice]()
}

export function toast(text: string): void {
  const close = pressable(
    { control: 'close_toast', attributes: { 'aria-label': words.close, class: 'round small' }, press: () => element.remove() },
    icon('close'),
  )
  const element = make('div', { class: 'toast', role: 'alert' }, make('span', {}, text), close)
  document.body.append(element)
}

const CAPTCHA = 'https://www.google.com/recaptcha/enterprise/anchor?ar=1&k=6LcSim&size='

/** As large as a real one, but not to be seen: it is on every join. */
export function addInvisibleCaptcha(): void {
  const frame = make('iframe', { src: `${CAPTCHA}invisible`, width: '256', height: '60', title: 'reCAPTCHA' })
  document.body.append(make('div', { class: 'captcha-badge' }, frame))
}

export function showCaptcha(): void {
  const frame = make('iframe', { src: `${CAPTCHA}normal`, width: '304', height: '78', title: 'reCAPTCHA' })
  document.body.append(make('div', { class: 'layer' }, make('div', { class: 'dialog' }, frame)))
}
