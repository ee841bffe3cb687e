/// <reference lib="dom" />
// Overlays of the page: dialogs that must be answered, toasts that may be closed, and captcha frames.
import type { Notice } from '../scenario.ts'
import { scenario, texts } from './boot.ts'
import { devices } from './devices.ts'
import { icon, make, pressable, textButton } from './dom.ts'

export type Choice = { readonly control: string; readonly text: string; readonly action?: string; readonly press?: () => void }

/** Resolves with the pressed control. */
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
    ask(texts.devicesQuestion, texts.devicesHint, [
      { control: 'use_devices', text: texts.useDevices, press: () => void turnBoth(true) },
      { control: 'without_devices', text: texts.withoutDevices, press: () => void turnBoth(false) },
    ]),
  sign_in: () =>
    ask(texts.signInNudge, '', [
      { control: 'sign_in', text: texts.signIn, press: () => location.assign('https://accounts.google.com/') },
      { control: 'use_without_account', text: texts.useWithoutAccount },
    ]),
  got_it: () => ask(texts.safety, '', [{ control: 'got_it', text: texts.gotIt }]),
  dismiss: async () => {
    const toast = make('div', { class: 'toast', role: 'status' }, texts.safety)
    toast.append(pressable({ control: 'dismiss', tag: 'div', press: () => toast.remove() }, texts.dismiss))
    document.body.append(toast)
  },
  device_errors: async () => {
    for (const kind of ['speaker', 'camera', 'microphone'] as const) deviceError(kind)
  },
  toasts: async () => {
    for (const kind of ['microphone', 'camera'] as const) toast(texts.notFound[kind])
  },
}

function deviceError(kind: keyof typeof texts.notFound): void {
  void ask(texts.notFound[kind], '', [{ control: 'close_device_error', text: texts.dismiss }])
}

/** The page lists the audio outputs of the browser. */
export async function checkSpeaker(): Promise<void> {
  const listed = await navigator.mediaDevices.enumerateDevices()
  if (!listed.some(({ kind }) => kind === 'audiooutput')) deviceError('speaker')
}

async function turnBoth(on: boolean): Promise<void> {
  for (const kind of ['microphone', 'camera'] as const) await devices.turn(kind, on)
}

/** One after the other, as in the scenario. */
export async function showNotices(): Promise<void> {
  for (const notice of scenario.notices) await NOTICES[notice]()
}

export function toast(text: string): void {
  const close = pressable(
    { control: 'close_toast', attributes: { 'aria-label': texts.close, class: 'round small' }, press: () => element.remove() },
    icon('close'),
  )
  const element = make('div', { class: 'toast', role: 'alert' }, make('span', {}, text), close)
  document.body.append(element)
}

const CAPTCHA = 'https://www.google.com/recaptcha/enterprise/anchor?ar=1&k=6LcSim&size='

/** As large as a visible captcha, but hidden. It is on every join. */
export function addInvisibleCaptcha(): void {
  const frame = make('iframe', { src: `${CAPTCHA}invisible`, width: '256', height: '60', title: 'reCAPTCHA' })
  document.body.append(make('div', { class: 'captcha-badge' }, frame))
}

export function showCaptcha(): void {
  const frame = make('iframe', { src: `${CAPTCHA}normal`, width: '304', height: '78', title: 'reCAPTCHA' })
  document.body.append(make('div', { class: 'layer' }, make('div', { class: 'dialog' }, frame)))
}
