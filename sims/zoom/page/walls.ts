/// <reference lib="dom" />
// Screens that replace the meeting, and two consents: the account's disclaimer before it, and the recording notice in it.
import type { WebScenario } from '../site/web-scenario.ts'
import type { Words } from '../site/words.ts'
import type { CallView } from './call-view.ts'
import { button, make } from './make.ts'

type Wall = WebScenario['wall']

/** Null: no screen replaces the meeting. */
export function wallScreen(wall: Wall, words: Words): readonly HTMLElement[] | null {
  const screens: Readonly<Record<Exclude<Wall, 'none' | 'invalid_link'>, () => readonly HTMLElement[]>> = {
    bots: () => [
      make('h2', {}, words.botsBlocked),
      make('p', {}, words.botDetected),
      make('p', {}, words.botSignIn),
      button('sign-in', words.signIn, () => undefined),
    ],
    captcha: () => [
      make('h2', {}, words.verify),
      make('p', {}, words.captchaBody),
      make('iframe', { title: 'reCAPTCHA', srcdoc: 'reCAPTCHA', src: 'about:blank#recaptcha', width: '300', height: '80' }),
      button('captcha', words.continueOn, () => undefined),
    ],
    recaptcha_failed: () => [make('p', { role: 'alert' }, words.captchaFailed)],
    sign_in: () => [
      make('h2', {}, words.signInToJoin),
      make('p', {}, words.commercial),
      button('sign-in', 'Sign in Zoom', () => undefined, { class: 'login-btn-zoom' }),
    ],
  }
  return wall === 'none' || wall === 'invalid_link' ? null : screens[wall]()
}

/** Resolves when the user agrees. */
export function agreeToDisclaimer({ disclaimer, agree, cancel }: Words, into: HTMLElement, onCancel: () => void): Promise<void> {
  return new Promise((resolve) => {
    const dialog = make('div', { class: 'zm-modal disclaimer-dialog', role: 'dialog' }, make('p', {}, disclaimer))
    const close = () => {
      dialog.remove()
      resolve()
    }
    dialog.append(button('disclaimer-agree', agree, close, { id: 'disclaimer_agree' }), button('disclaimer-cancel', cancel, onCancel))
    into.append(dialog)
  })
}

export function askRecordingConsent(view: CallView, leave: () => void): void {
  const { recorded, recordedBody, gotIt, leaveMeeting } = view.words
  view.dialog(recorded, recordedBody, [
    { control: 'recording-consent', text: gotIt },
    { control: 'recording-leave', text: leaveMeeting, press: leave },
  ])
}
